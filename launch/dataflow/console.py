"""Where a person looks at a job on Dataflow."""

from typing import Any

from apache_beam.options.pipeline_options import GoogleCloudOptions, PipelineOptions

_JOBS = "https://console.cloud.google.com/dataflow/jobs"


def job_page(result: Any, options: PipelineOptions) -> str | None:
    """Name the page of a job in Google's console.

    Args:
      result: what a runner hands back.
      options: those that the job was started with.

    Returns:
      Its address; None for a template or a dry run, which has no job, and for other runners.
    """
    if not getattr(result, "has_job", False):
        return None
    cloud = options.view_as(GoogleCloudOptions)
    return f"{_JOBS}/{cloud.region}/{result.job_id()}?project={cloud.project}"
