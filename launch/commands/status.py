"""Print the ledger of a worker.

For each hour: how many messages were read, and where they ended.
The exit status is 1 when an hour does not add up, or --verify finds a difference.
"""

from launch.commands import Command
from pipeline.settings.commands import StatusSettings

COMMAND = Command(
    settings=StatusSettings,
    run="launch.verify.print_status:status",
    examples=("out/live", "out/live --verify"),
)
