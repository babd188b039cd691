"""Serve the embedded checker over HTTP."""

from launch.commands import Command
from pipeline.settings.commands import ServeCheckerSettings

COMMAND = Command(
    settings=ServeCheckerSettings,
    run="launch.checker_server.server:serve_checker",
    examples=(
        "--port 8080",
        "--port 0 --scorer models/nli",
        "--behind azure --behind_address https://NAME.cognitiveservices.azure.com",
    ),
)
