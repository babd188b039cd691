"""The embedded checker over HTTP."""
