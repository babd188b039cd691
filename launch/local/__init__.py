"""Running on one machine: in segments, each of which is done for good or not at all."""
