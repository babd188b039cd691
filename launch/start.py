"""Starting the main job from a command line: all that `backfill` and `replay` have in common."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from launch.beam_flags import read_job_flags
from launch.command_help import wants_help, write_help
from launch.flags import UsageError
from launch.inputs.paths import default_run_id, default_work_folder, find_inputs, try_output
from launch.local.resolved_failures import finish_moves, free_run_id
from launch.main_job import run_main_job
from launch.workers import is_on_this_machine, quota_problems, worker_count
from pipeline import check_options, options
from pipeline.config import config_from
from pipeline.option import Option
from pipeline.sinks.destination import Destination

_OF_THIS_MACHINE = ("work_folder", "resume", "forget_replies", "max_calls", "max_cost")
BEAM_HELP = "\nFlags of Apache Beam's own pipeline options pass through.\n"


def options_from(source: Option) -> tuple[Option, ...]:
    """All flags of a command that runs the main job on a source."""
    return (
        source,
        options.SALVAGE,
        *options.FORMAT,
        options.SAMPLE,
        *options.OUTPUT,
        *options.LOCAL,
        *check_options.CHECK,
        *options.VERDICTS,
        *options.ALERTS,
    )


def start_main_job(
    command: str,
    source: Option,
    arguments: Sequence[str],
    *,
    replays: bool = False,
    run: Callable[..., int] = run_main_job,
) -> int:
    """Read the command line, and run the main job if nothing is wrong with it.

    Args:
      command: its name, for the help.
      source: the flag that names the input's files.
      arguments: what stands behind the command.
      replays: whether the input are failures of an earlier run.
      run: takes what `run_main_job` does, and runs the job or has it run.

    Returns:
      0 done, 1 failed, 3 done with failures left for a replay.

    Raises:
      UsageError: the flags make no sense, or name what is not there.
    """
    known = options_from(source)
    if wants_help(arguments):
        return write_help(command, known, BEAM_HELP)
    values, beam_options, problems = read_job_flags(arguments, known)
    is_local = is_on_this_machine(beam_options)
    workers = worker_count(beam_options, values["workers"])
    problems += _worker_problems(values, workers, is_local=is_local)
    if replays and values["output"]:
        _finish_earlier_replays(values["output"], problems)
    inputs = find_inputs(source.name, values[source.name], problems)
    destination = _destination(values, values[source.name], problems, replays=replays)
    if problems:
        raise UsageError(problems)
    work_folder = (values["work_folder"] or default_work_folder(destination)) if is_local else None
    config = config_from(
        values,
        inputs,
        destination.run,
        work_folder,
        workers or 1,
        replays=replays,
        source=default_run_id(values[source.name]),
    )
    return run(
        config,
        beam_options,
        values["price_per_1k_chars"],
        workers,
        must_resume=values["resume"],
        forget_replies=values["forget_replies"],
    )


def _finish_earlier_replays(output: str, problems: list[str]) -> None:
    try:
        finish_moves(output)
    except OSError as error:
        problems.append(f"--output {output}: {error}")


def _destination(
    values: Mapping[str, Any], patterns: Sequence[str], problems: list[str], *, replays: bool
) -> Destination:
    """Name the run, and check that its output can be written to."""
    run_id = values["run_id"] or default_run_id(patterns)
    destination = Destination(root=values["output"] or "", run=run_id)
    if not values["output"]:
        return destination
    try_output(destination, problems)
    if replays and not values["run_id"] and not problems:
        return replace(destination, run=free_run_id(destination.root, run_id))
    return destination


def _worker_problems(values: Mapping[str, Any], workers: int, *, is_local: bool) -> Iterator[str]:
    yield from quota_problems(values, workers)
    if values["resume"] and values["forget_replies"]:
        yield "--resume: resumes a run, and --forget_replies begins it anew; pass one of them"
    if not is_local:
        for name in _OF_THIS_MACHINE:
            if values[name]:
                yield f"--{name}: is for a run on this machine, without --runner"
