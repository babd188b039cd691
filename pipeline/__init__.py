"""Join the steps to a pipeline: settings, sources, sinks, storage and `build.py`."""
