"""`groundwatch backfill`."""

from launch.commands import Command
from pipeline.settings.commands import BackfillSettings

COMMAND = Command(
    help="check an archive of answers",
    settings=BackfillSettings,
    run="launch.job.start:backfill",
    takes_beam_options=True,
)
