"""`groundwatch demo`."""

from launch.commands import Command
from pipeline.settings.commands import DemoSettings

COMMAND = Command(
    help="check the bundled sample answers, without a cloud",
    settings=DemoSettings,
    run="launch.job.start:demo",
)
