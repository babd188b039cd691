"""Pipelines for tests of single steps."""

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions


def local_pipeline() -> beam.Pipeline:
    """A pipeline in this process, untouched by the flags of the test run."""
    return beam.Pipeline("FnApiRunner", options=PipelineOptions([]))
