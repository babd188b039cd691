"""Read the sentences of facts."""
