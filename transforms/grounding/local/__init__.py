"""The embedded checker: a lexical stand-in for Google's check, in the same JSON."""
