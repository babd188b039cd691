"""Every setting, defined once: flags, environment, YAML, templates and documentation derive from it."""
