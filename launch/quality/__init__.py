"""Measure how good the verdicts are, by labels: `evaluate`, `calibrate`, `review`."""
