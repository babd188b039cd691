"""`check` one answer, and `serve-checker`: the embedded checker, or a model, over HTTP."""
