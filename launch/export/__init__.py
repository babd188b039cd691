"""Send results to other tools: one `Target` each, for the worker and for `groundwatch export`."""
