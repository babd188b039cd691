"""The steps of the pipeline, one PTransform a file."""
