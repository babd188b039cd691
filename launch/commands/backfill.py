"""`groundwatch backfill`: check an archive of answers."""

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

OPTIONS = (
    *options.INPUT,
    *options.OUTPUT,
    *check_options.CHECK,
    *options.VERDICTS,
    *options.ALERTS,
)
_BEAM = "\nFlags of Apache Beam's own pipeline options pass through.\n"


def run(arguments: Sequence[str]) -> int:
    """Check the archive and report.

    Returns:
      0 done, 1 failed, 3 done with failures left for a replay.

    Raises:
      UsageError: the flags make no sense, or name what is not there.
    """
    if wants_help(arguments):
        return write_help("backfill", OPTIONS, _BEAM)
    values, others, problems = read_flags(arguments, OPTIONS)
    beam_options, unknown = read_beam_flags(others, [option.name for option in OPTIONS])
    problems += unknown
    problems += check_problems(values)
    inputs = find_inputs(values["input"], problems)
    run_id = values["run_id"] or default_run_id(values["input"])
    if values["output"]:
        try_output(Destination(root=values["output"], run=run_id), problems)
    if problems:
        raise UsageError(problems)
    config = config_from(values, inputs, run_id, worker_count(beam_options))
    return run_main_job(config, beam_options, values["price_per_1k_chars"])
