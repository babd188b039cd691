"""Decide where a job runs, without an import of Apache Beam unless it has flags of its own."""

import re
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from groundwatch.pipeline.settings.job import JobSettings
from groundwatch.pipeline.settings.load import Loaded

_FLAG = re.compile(r"['\"]--([\w-]+)['\"]")
_USED_HERE = ("--direct_", "--experiment", "--profile_")


class Placement(NamedTuple):
    """Whether a job runs on this machine, in how many processes, and Beam's arguments.

    `processes` is None where the run is to choose.
    """

    is_local: bool
    processes: int | None
    beam_arguments: tuple[str, ...]
    unused_flags: tuple[str, ...] = ()

    def warn_of_unused_flags(self) -> None:
        """Name Beam's flags that do nothing on this machine, on standard error."""
        if self.unused_flags:
            flags = ", ".join(self.unused_flags)
            sys.stderr.write(f"groundwatch: without --runner these do nothing: {flags}\n")


@cache
def beam_flag_names() -> list[str]:
    """List Beam's own flags, without their dashes, from its source: an import takes a second."""
    [folder] = find_spec("apache_beam").submodule_search_locations  # type: ignore[union-attr, misc]
    source = Path(folder, "options", "pipeline_options.py").read_text(encoding="utf-8")
    return sorted(set(_FLAG.findall(source)))


def place_job(loaded: Loaded[Any], job: JobSettings, quota_problems: list[str]) -> Placement:
    """Decide where a job runs; if all is right so far, add what is wrong with Beam's flags.

    A quota that cannot be divided among the processes is added to the last argument.
    """
    arguments = beam_arguments(loaded, job)
    if not loaded.others or loaded.problems:
        return Placement(is_local=True, processes=job.local.workers, beam_arguments=arguments)
    from . import beam_options  # noqa: PLC0415 - it imports Beam

    options = beam_options.read_beam_options(loaded, arguments)
    is_local = beam_options.is_on_this_machine(options)
    flags = [each.partition("=")[0] for each in loaded.others if each.startswith("--")]
    processes = job.local.workers
    if not is_local or "--direct_num_workers" in flags:
        processes = beam_options.worker_count(options, job, quota_problems)
    unused = tuple(each for each in flags if is_local and not each.startswith(_USED_HERE))
    return Placement(is_local, processes, arguments, unused)


def beam_arguments(loaded: Loaded[Any], job: JobSettings) -> tuple[str, ...]:
    """List Beam's arguments: those that are no settings of groundwatch, and the project."""
    project = [f"--project={job.checker.project}"] if job.checker.project else []
    return (*loaded.others, *project)
