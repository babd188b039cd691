"""Read an answer as a reader sees it: markup, citation marks, reasoning, tables."""
