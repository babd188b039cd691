"""The embedded checker, or another service, over HTTP."""
