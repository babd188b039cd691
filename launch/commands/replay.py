"""Check the failures of an earlier run again."""

from launch.commands import Command
from pipeline.settings.commands import ReplaySettings

COMMAND = Command(
    settings=ReplaySettings,
    run="launch.job.start:replay",
    examples=(
        "--failures 'out/answers/failures/*.jsonl' --output out/answers",
        "--failures projects/P/subscriptions/S --output out/answers",
    ),
)
