"""`groundwatch replay`: check again what an earlier run left."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from launch.command_help import wants_help
from launch.flags import UsageError, read_flags
from launch.inputs import default_run_id, default_work_folder
from launch.pubsub.errors import Refused
from launch.spool import spool_failures
from launch.start import start_main_job
from pipeline import options, watch_options
from pipeline.destination import Destination
from pipeline.option import Option
from transforms.grounding.errors import CheckFailed
from transforms.grounding.settings import GoogleAccount

_DONE, _FAILED, _LEFT = 0, 1, 3
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
    is_subscription = any(text.startswith(f"--{_SUBSCRIPTION.name}") for text in arguments)
    if wants_help(arguments) or not is_subscription:
        return start_main_job("replay", options.FAILURES, arguments, replays=True)
    values, others, problems = read_flags(arguments, (*replay_options(), _OUTPUT))
    if problems:
        raise UsageError(problems)
    return _replay_subscription(values, others)


def _replay_subscription(values: Mapping[str, Any], others: Sequence[str]) -> int:
    name, output = values[_SUBSCRIPTION.name], values["output"]
    destination = Destination(root=output, run=f"{default_run_id([name])}-spool")
    try:
        spooled = spool_failures(
            name,
            default_work_folder(destination),
            address=values[_ADDRESS.name],
            account=GoogleAccount(),
            idle_s=values[watch_options.IDLE.name],
        )
    except (CheckFailed, Refused, OSError) as error:
        sys.stderr.write(f"groundwatch: the replay failed: {error}\n")
        return _FAILED
    if spooled is None:
        sys.stdout.write(f"{name} holds no failure\n")
        return _DONE
    own = ["--failures", spooled, "--output", output]
    status = start_main_job("replay", options.FAILURES, [*own, *others], replays=True)
    if status in (_DONE, _LEFT):
        Path(spooled).unlink()
        Path(spooled).parent.rmdir()
    return status
