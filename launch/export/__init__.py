"""Send the results of a finished run to other systems, or write them as tables."""
