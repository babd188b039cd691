"""A bounded run on one machine: its plan, its source and its processes."""
