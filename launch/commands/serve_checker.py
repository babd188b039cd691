"""`groundwatch serve-checker`."""

from launch.commands import Command
from pipeline.settings.commands import ServeCheckerSettings

COMMAND = Command(
    help="serve the embedded checker over HTTP",
    settings=ServeCheckerSettings,
    run="launch.checker_server.server:serve_checker",
)
