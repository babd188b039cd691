"""`groundwatch serve-checker`."""

from launch.command import Command
from pipeline.settings.commands import ServeCheckerSettings

COMMAND = Command(
    help="serve the embedded checker over HTTP",
    settings=ServeCheckerSettings,
    run="launch.serve_checker:serve_checker",
)
