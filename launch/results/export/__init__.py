"""Send results to other tools, one `Target` each, or write them as tables."""
