"""`groundwatch replay`."""

from launch.commands import Command
from pipeline.settings.commands import ReplaySettings

COMMAND = Command(
    help="check the failures of an earlier run again",
    settings=ReplaySettings,
    run="launch.job.start:replay",
    takes_beam_options=True,
)
