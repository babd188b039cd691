"""The steps of the pipeline, one PTransform a file; `groundwatch` hands them out."""
