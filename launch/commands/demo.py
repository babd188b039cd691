"""Check the bundled sample answers, without a cloud."""

from groundwatch.launch.commands import Command
from groundwatch.pipeline.settings.commands import DemoSettings

COMMAND = Command(
    settings=DemoSettings,
    run="groundwatch.launch.job.start:demo",
    examples=("", "--output out/first"),
)
