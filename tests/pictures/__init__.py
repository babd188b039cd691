"""The pictures of the README: the terminal and the report of the demo."""
