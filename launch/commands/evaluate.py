"""`groundwatch evaluate`."""

from launch.commands import Command
from pipeline.settings.commands import EvaluateSettings

COMMAND = Command(
    help="measure the accuracy of scores on labelled answers",
    settings=EvaluateSettings,
    run="launch.evaluate.run:evaluate",
)
