"""Check the failures of an earlier run again."""

from groundwatch.launch.commands import Command
from groundwatch.pipeline.settings.commands import ReplaySettings

COMMAND = Command(
    settings=ReplaySettings,
    run="groundwatch.launch.job.start:replay",
    examples=(
        "--failures 'out/answers/failures/*.jsonl' --output out/answers",
        "--failures projects/P/subscriptions/S --output out/answers",
    ),
)
