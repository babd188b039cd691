"""`groundwatch replay`: check again what an earlier run left."""

import sys
from collections.abc import Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

from launch.beam_flags import read_job_flags
from launch.command_help import wants_help, write_help
from launch.flags import UsageError, read_flags
from launch.inputs.paths import default_run_id_of, default_work_folder
from launch.pubsub.errors import Refused
from launch.pubsub.failure_spool import spool_failures
from launch.start import BEAM_HELP, options_from, start_main_job
from launch.terminal.exit_status import DONE, LEFT, fail
from pipeline import options, watch_options
from pipeline.check_config import google_account
from pipeline.option import Option
from pipeline.sinks.destination import Destination
from pipeline.sinks.summary_file import read_summaries
from transforms.grounding.errors import CheckFailed
from transforms.grounding.settings import GoogleAccount

_SUBSCRIPTION = watch_options.FAILURE_SUBSCRIPTION
_OUTPUT = next(option for option in options.OUTPUT if option.name == "output")
_ADDRESS = watch_options.PUBSUB_ADDRESS


def replay_options() -> tuple[Option, ...]:
    """The flags that no other command of the main job has."""
    return (_SUBSCRIPTION, _ADDRESS, watch_options.IDLE)


def run(arguments: Sequence[str]) -> int:
    """Run the main job on failures, out of files or of a subscription.

    Returns:
      0 done, 1 failed, 3 done with failures left for a replay.

    Raises:
      UsageError: the flags make no sense, or name what is not there.
    """
    if wants_help(arguments):
        known = (*replay_options(), *options_from(options.FAILURES))
        return write_help("replay", known, BEAM_HELP)
    if not any(text.startswith(f"--{_SUBSCRIPTION.name}") for text in arguments):
        return start_main_job("replay", options.FAILURES, arguments, replays=True)
    values, others, problems = read_flags(arguments, (*replay_options(), _OUTPUT))
    # What is wrong with the others is said before a failure leaves the subscription.
    given = ["--failures", "spooled", "--output", str(values["output"]), *others]
    job_values, _, more = read_job_flags(given, options_from(options.FAILURES))
    if problems + more:
        raise UsageError(problems + more)
    return _replay_subscription(values, google_account(job_values), others)


def _replay_subscription(
    values: Mapping[str, Any], account: GoogleAccount, others: Sequence[str]
) -> int:
    name, output = values[_SUBSCRIPTION.name], values["output"]
    destination = Destination(root=output, run=f"{default_run_id_of(name)}-spool")
    try:
        spooled = spool_failures(
            name,
            default_work_folder(destination),
            address=values[_ADDRESS.name],
            account=account,
            idle_s=values[watch_options.IDLE.name],
        )
    except (CheckFailed, Refused, OSError) as error:
        return fail(f"the replay failed: {error}")
    if spooled is None:
        sys.stdout.write(f"{name} holds no failure\n")
        return DONE
    own = ["--failures", spooled, "--output", output]
    status = start_main_job("replay", options.FAILURES, [*own, *others], replays=True)
    if status == DONE or (status == LEFT and not _left_by_a_limit(destination)):
        Path(spooled).unlink()
        Path(spooled).parent.rmdir()
    return status


def _left_by_a_limit(destination: Destination) -> int:
    """Count the failures of the run just done that wait for a higher --max_calls or --max_cost."""
    latest = max(read_summaries(destination.root), key=attrgetter("finished_at_us"))
    return latest.deferred
