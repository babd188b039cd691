"""How many processes share the work, and where."""

from apache_beam.options.pipeline_options import (
    DirectOptions,
    PipelineOptions,
    StandardOptions,
    WorkerOptions,
)


def is_on_this_machine(options: PipelineOptions) -> bool:
    """Tell whether no runner is named, so that this machine does the work."""
    return options.view_as(StandardOptions).runner is None


def worker_count(options: PipelineOptions, workers: int | None) -> int:
    """Tell how many processes share the work at most.

    Args:
      options: Beam's own; on this machine its ``--direct_num_workers`` counts where ``--workers``
        is not given.
      workers: the value of ``--workers``.

    Returns:
      On this machine, at least 1; else the most workers the runner may start, or 0 when the
      options do not say.
    """
    if is_on_this_machine(options):
        return workers or options.view_as(DirectOptions).direct_num_workers or 1
    remote = options.view_as(WorkerOptions)
    return remote.max_num_workers or remote.num_workers or 0
