"""Logs: one JSON object a line, without the text of answers."""
