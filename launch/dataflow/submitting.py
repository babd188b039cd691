"""Submit a pipeline to a runner without waiting for it."""

import sys
from typing import Any

import apache_beam as beam
from apache_beam.options.pipeline_options import (
    GoogleCloudOptions,
    PipelineOptions,
    StandardOptions,
)
from apache_beam.runners.runner import PipelineResult
from google.api_core.exceptions import GoogleAPICallError
from google.auth.exceptions import GoogleAuthError

from launch.terminal.exit_status import DONE, fail
from pipeline.build import Source, build_pipeline
from pipeline.settings.config import Config
from pipeline.sinks.sink import Sink
from pipeline.sources.read_subscription import ReadSubscription

_JOBS = "https://console.cloud.google.com/dataflow/jobs"


def submit(config: Config, source: Source, sink: Sink, options: PipelineOptions) -> int:
    """Start a job, and print the address of its page.

    Args:
      config: the run's settings.
      source: what the job reads; a subscription makes it a streaming job.
      sink: what it writes.
      options: Beam's own, naming a runner.

    Returns:
      The exit status: 0 started, 1 not.
    """
    options.view_as(StandardOptions).streaming = isinstance(source, ReadSubscription)
    pipeline = beam.Pipeline(options=options)
    build_pipeline(pipeline, source, sink, config)
    try:
        result = pipeline.run()
    except (GoogleAPICallError, GoogleAuthError, OSError) as error:
        return fail(f"the job could not be started: {error}")
    sys.stdout.write(_message(result, options))
    return DONE


def _message(result: PipelineResult, options: PipelineOptions) -> str:
    page = job_page(result, options)
    if page is None:
        return "groundwatch: the pipeline is built.\n"
    return f"groundwatch: the job {result.job_id()} is started: {page}\n"


def job_page(result: Any, options: PipelineOptions) -> str | None:
    """Return the address of a job in Google's console.

    Returns:
      None for a template or a dry run, which have no job, and for other runners.
    """
    if not getattr(result, "has_job", False):
        return None
    cloud = options.view_as(GoogleCloudOptions)
    return f"{_JOBS}/{cloud.region}/{result.job_id()}?project={cloud.project}"
