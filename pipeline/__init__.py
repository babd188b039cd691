"""How the steps are joined: options, sources, sinks and the main page, `build.py`."""
