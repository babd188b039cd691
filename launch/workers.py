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


def local_processes(options: PipelineOptions, workers: int | None) -> int:
    """Tell how many processes share the work on this machine.

    Args:
      options: Beam's own, whose ``--direct_num_workers`` counts where ``--workers`` is not given.
      workers: the value of ``--workers``.
    """
    return workers or options.view_as(DirectOptions).direct_num_workers or 1


def remote_workers(options: PipelineOptions) -> int:
    """Tell how many workers the runner may start at most, 0 when the options do not say."""
    remote = options.view_as(WorkerOptions)
    return remote.max_num_workers or remote.num_workers or 0
