"""Runs that end: `backfill`, `replay`, `demo`, their `estimate`, and `inspect` of an input."""
