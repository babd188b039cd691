"""The report: counts of an output folder, rendered as one HTML page."""
