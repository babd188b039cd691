"""Statistics of scored examples: no files, no clock, and chance only from a seed."""
