"""`groundwatch evaluate`: measure how well scores agree with labels."""
