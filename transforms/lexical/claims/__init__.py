"""Read what the sentences of an answer claim."""
