"""`groundwatch estimate`: estimate the calls and the cost of a backfill, without a call."""
