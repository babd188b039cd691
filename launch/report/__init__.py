"""The report of a run: counted from its files, drawn as one HTML page."""
