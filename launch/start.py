"""Starting the main job from a command line: all that `backfill` and `replay` have in common."""

from collections.abc import Sequence

from launch.beam_flags import read_beam_flags
from launch.command_help import wants_help, write_help
from launch.flags import UsageError, read_flags
from launch.inputs import default_run_id, find_inputs, try_output
from launch.main_job import run_main_job
from launch.workers import worker_count
from pipeline import check_options, options
from pipeline.check_config import check_problems
from pipeline.config import config_from
from pipeline.destination import Destination
from pipeline.option import Option

_BEAM = "\nFlags of Apache Beam's own pipeline options pass through.\n"


def options_from(source: Option) -> tuple[Option, ...]:
    """All flags of a command that runs the main job on a source."""
    return (
        source,
        *options.FORMAT,
        options.SAMPLE,
        *options.OUTPUT,
        *check_options.CHECK,
        *options.VERDICTS,
        *options.ALERTS,
    )


def start_main_job(
    command: str, source: Option, arguments: Sequence[str], *, replays: bool = False
) -> int:
    """Read the command line, and run the main job if nothing is wrong with it.

    Args:
      command: its name, for the help.
      source: the flag that names the input's files.
      arguments: what stands behind the command.
      replays: whether the input are failures of an earlier run.

    Returns:
      0 done, 1 failed, 3 done with failures left for a replay.

    Raises:
      UsageError: the flags make no sense, or name what is not there.
    """
    known = options_from(source)
    if wants_help(arguments):
        return write_help(command, known, _BEAM)
    values, others, problems = read_flags(arguments, known)
    beam_options, unknown = read_beam_flags(others, [option.name for option in known])
    problems += unknown
    problems += check_problems(values)
    workers = worker_count(beam_options)
    if workers == 0 and values["requests_per_minute"]:
        problems.append("--requests_per_minute: needs --max_num_workers, to divide the quota by")
    patterns = values[source.name]
    inputs = find_inputs(source.name, patterns, problems)
    run_id = values["run_id"] or default_run_id(patterns)
    if values["output"]:
        try_output(Destination(root=values["output"], run=run_id), problems)
    if problems:
        raise UsageError(problems)
    config = config_from(values, inputs, run_id, workers, replays=replays)
    return run_main_job(config, beam_options, values["price_per_1k_chars"])
