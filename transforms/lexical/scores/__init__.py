"""Score claims by how much of them facts cover."""
