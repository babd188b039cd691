"""Define every setting once, for flags, variables, YAML, templates and documentation."""
