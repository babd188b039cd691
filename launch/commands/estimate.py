"""`groundwatch estimate`."""

from launch.commands import Command
from pipeline.settings.commands import EstimateSettings

COMMAND = Command(
    help="estimate the calls, time and cost of a backfill, without a call",
    settings=EstimateSettings,
    run="launch.estimate.run:estimate",
    description="Takes all flags of `backfill`, so that its command line can be estimated.\n",
    takes_beam_options=True,
)
