"""Check the bundled sample answers, without a cloud."""

from launch.commands import Command
from pipeline.settings.commands import DemoSettings

COMMAND = Command(
    settings=DemoSettings,
    run="launch.job.start:demo",
    examples=("", "--output out/first"),
)
