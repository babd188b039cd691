"""`groundwatch status DIR`."""

from launch.commands import Command
from pipeline.settings.commands import StatusSettings

COMMAND = Command(
    help="print the ledger of a worker",
    settings=StatusSettings,
    run="launch.watch.status:status",
    description="For each hour: how many messages were read, and where they ended.\n"
    "The exit status is 1 when an hour does not add up, or --verify finds a difference.\n",
)
