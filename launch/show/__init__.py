"""`groundwatch show` and `groundwatch check`: one record, as a person reads it."""
