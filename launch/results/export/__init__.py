"""Send the results of an output folder to a tool, or write them as a table."""
