"""Check the failures of an earlier run again."""

from launch.commands import Command
from pipeline.settings.commands import ReplaySettings

COMMAND = Command(settings=ReplaySettings, run="launch.job.start:replay")
