"""`check`, `show` and `inspect`: single answers, as a person reads them."""
