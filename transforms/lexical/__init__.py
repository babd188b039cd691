"""The embedded checker: claims, words, scores and contradictions, without I/O."""
