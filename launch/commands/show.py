"""Show a record: its verdict, claims and facts.

Alerts, the report and the summary print the ids.
"""

from groundwatch.launch.commands import Command
from groundwatch.pipeline.settings.commands import ShowSettings

COMMAND = Command(
    settings=ShowSettings,
    run="groundwatch.launch.answers.show:show",
    examples=("3fa94c81d2b7", "3fa94c81d2b7 out/answers --json"),
)
