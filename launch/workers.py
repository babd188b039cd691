"""How many processes share the work."""

from apache_beam.options.pipeline_options import (
    DirectOptions,
    PipelineOptions,
    StandardOptions,
    WorkerOptions,
)


def worker_count(options: PipelineOptions) -> int | None:
    """Tell how many processes share the work at most.

    Args:
      options: Beam's own.

    Returns:
      None when the work is done in this process alone; else the most workers the runner may
      start, or 0 when the options do not say.
    """
    local = options.view_as(DirectOptions).direct_num_workers or 1
    if options.view_as(StandardOptions).runner is None:
        return local if local > 1 else None
    remote = options.view_as(WorkerOptions)
    return remote.max_num_workers or remote.num_workers or 0
