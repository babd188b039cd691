"""`groundwatch replay`: check again what an earlier run left."""

from collections.abc import Sequence

from launch.start import start_main_job
from pipeline import options


def run(arguments: Sequence[str]) -> int:
    """Run the main job on failures.

    Returns:
      0 done, 1 failed, 3 done with failures left for a replay.

    Raises:
      UsageError: the flags make no sense, or name what is not there.
    """
    return start_main_job("replay", options.FAILURES, arguments, replays=True)
