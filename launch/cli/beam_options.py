"""Apache Beam's pipeline options: check them, and read the number of workers from them."""

import re
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

from apache_beam.options.pipeline_options import (
    DebugOptions,
    DirectOptions,
    FlinkRunnerOptions,
    PipelineOptions,
    PrismRunnerOptions,
    StandardOptions,
    WorkerOptions,
)
from apache_beam.options.pipeline_options_validator import PipelineOptionsValidator
from apache_beam.runners.runner import create_runner

from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.job import JobSettings
from groundwatch.pipeline.settings.load import Loaded, UsageError, describe_unknown, flag_names

_DATAFLOW = frozenset({"dataflow", "dataflowrunner"})
_ONE_PROCESS = "no_use_multiple_sdk_containers"
_VCPUS = re.compile(r"(?:[a-z]\w*-)?custom-(\d+)-\d+(?:-ext)?|[a-z]\w*-[a-z]+-(\d+)(?:-[a-z0-9]+)*")


class _Parser(ArgumentParser):
    """Parse all of Beam's flags, and raise where argparse would print them and exit."""

    def __init__(self) -> None:
        beams: list[ArgumentParser] = []
        PipelineOptions([]).get_all_options(add_extra_args_fn=beams.append)
        super().__init__(
            parents=beams, add_help=False, allow_abbrev=False, conflict_handler="resolve"
        )

    def error(self, message: str) -> NoReturn:
        raise UsageError([message])


def read_beam_options(loaded: Loaded[Any], arguments: Sequence[str]) -> PipelineOptions:
    """Read Beam's options from its arguments.

    Unknown flags, which Beam ignores, and options that the runner misses are added to the problems.
    """
    try:
        _, unknown = _Parser().parse_known_args(arguments)
        problems = describe_unknown(unknown, flag_names(type(loaded.settings)))
    except UsageError as error:
        problems = [*error.problems]
    options = PipelineOptions([] if problems else list(arguments))
    loaded.problems += problems or _runner_problems(options)
    return options


def _runner_problems(options: PipelineOptions) -> list[str]:
    if is_on_this_machine(options):
        return []
    name = options.view_as(StandardOptions).runner
    if is_on_dataflow(options) and find_spec("google.cloud.dataflow") is None:
        return [f"--runner {name} needs Beam's extra: pip install 'groundwatch[dataflow]'"]
    try:
        runner = create_runner(name)
    except (ValueError, ImportError, AttributeError):
        return [f"--runner {name}: Beam has no such runner"]
    problems = PipelineOptionsValidator(options, runner).validate()
    return [*(f"--runner {name}: {problem}" for problem in problems), *_program_problems(options)]


def _program_problems(options: PipelineOptions) -> Iterator[str]:
    """Name the programs of engines that are not where a flag says; Beam raises a ValueError."""
    prism = options.view_as(PrismRunnerOptions).prism_location or ""
    jar = options.view_as(FlinkRunnerOptions).flink_job_server_jar or ""
    for flag, place in (("prism_location", prism), ("flink_job_server_jar", jar)):
        if place and storage.is_local(place) and not Path(place).is_file():
            yield f"--{flag} {place}: no such file"


def is_on_this_machine(options: PipelineOptions) -> bool:
    """Return whether the job runs on this machine, since no runner is named."""
    return options.view_as(StandardOptions).runner is None


def is_on_dataflow(options: PipelineOptions) -> bool:
    """Return whether the runner is Dataflow."""
    return str(options.view_as(StandardOptions).runner).lower() in _DATAFLOW


def worker_count(options: PipelineOptions, job: JobSettings, problems: list[str]) -> int:
    """Count the processes that share the work and the quota: ``--workers``, or the runner's most.

    A quota that cannot be divided is added to the problems.
    """
    workers = job.local.workers or _worker_count(options)
    if not workers and job.checker.requests_per_minute:
        problems.append(
            "--requests_per_minute: needs --workers to divide the quota, or --max_num_workers and,"
            " on Dataflow, a --machine_type that names its vCPUs"
        )
    return workers or 1


def _worker_count(options: PipelineOptions) -> int:
    """Count the Python processes of all machines; 0 where the options do not say.

    Source: https://cloud.google.com/dataflow/docs/guides/troubleshoot-oom, "SDK process memory":
    on Dataflow one for each vCPU.
    """
    if is_on_this_machine(options):
        return options.view_as(DirectOptions).direct_num_workers or 1
    remote = options.view_as(WorkerOptions)
    machines: int = remote.max_num_workers or remote.num_workers or 0
    if not is_on_dataflow(options) or options.view_as(DebugOptions).lookup_experiment(_ONE_PROCESS):
        return machines
    vcpus = _VCPUS.fullmatch(remote.machine_type or "")
    return machines * int(vcpus[1] or vcpus[2]) if vcpus else 0
