"""`groundwatch report DIR`."""

from launch.commands import Command
from pipeline.settings.commands import ReportSettings

COMMAND = Command(
    help="write the HTML report of an output folder",
    settings=ReportSettings,
    run="launch.report.run:report",
)
