"""The embedded checker: a lexical replacement of Google's check, with the same JSON."""
