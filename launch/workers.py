"""How many processes share the work, and where."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from apache_beam.options.pipeline_options import (
    DebugOptions,
    DirectOptions,
    PipelineOptions,
    StandardOptions,
    WorkerOptions,
)

_DATAFLOW = frozenset({"dataflow", "dataflowrunner"})
_ONE_PROCESS = "no_use_multiple_sdk_containers"
_CUSTOM = re.compile(r"(?:[a-z]\w*-)?custom-(\d+)-\d+(?:-ext)?")
_STANDARD = re.compile(r"[a-z]\w*-[a-z]+-(\d+)(?:-[a-z0-9]+)*")


def is_on_this_machine(options: PipelineOptions) -> bool:
    """Tell whether no runner is named, so that this machine does the work."""
    return options.view_as(StandardOptions).runner is None


def is_on_dataflow(options: PipelineOptions) -> bool:
    """Tell whether the runner is Dataflow's."""
    return str(options.view_as(StandardOptions).runner).lower() in _DATAFLOW


def worker_count(options: PipelineOptions, workers: int | None) -> int:
    """Tell how many processes share the work at most.

    Args:
      options: Beam's own; on this machine its ``--direct_num_workers`` counts where ``--workers``
        is not given.
      workers: the value of ``--workers``.

    Returns:
      On this machine, at least 1; else ``--workers``, or as many as the runner may start, or 0 when
      the options do not say.
    """
    if workers:
        return workers
    if is_on_this_machine(options):
        return options.view_as(DirectOptions).direct_num_workers or 1
    remote = options.view_as(WorkerOptions)
    return (remote.max_num_workers or remote.num_workers or 0) * _processes_per_worker(options)


def quota_problems(values: Mapping[str, Any], workers: int) -> Iterator[str]:
    """Say what is missing to divide a quota.

    Args:
      values: by option name.
      workers: how many processes share the work, 0 where nobody knows.
    """
    if not workers and values["requests_per_minute"]:
        yield (
            "--requests_per_minute: needs --max_num_workers, and on Dataflow a --machine_type that"
            " names its vCPUs, or --workers, to divide the quota by"
        )


def _processes_per_worker(options: PipelineOptions) -> int:
    """Tell how many Python processes a machine runs, or 0 when the options do not say.

    Source: https://cloud.google.com/dataflow/docs/guides/troubleshoot-oom, "SDK process memory":
    on Dataflow one for each vCPU.
    """
    if not is_on_dataflow(options) or options.view_as(DebugOptions).lookup_experiment(_ONE_PROCESS):
        return 1
    machine_type = options.view_as(WorkerOptions).machine_type or ""
    found = _CUSTOM.fullmatch(machine_type) or _STANDARD.fullmatch(machine_type)
    return int(found[1]) if found else 0
