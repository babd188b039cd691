"""Serve the embedded checker over HTTP."""

from groundwatch.launch.commands import Command
from groundwatch.pipeline.settings.commands import ServeCheckerSettings

COMMAND = Command(
    settings=ServeCheckerSettings,
    run="groundwatch.launch.checker_server.server:serve_checker",
    examples=(
        "--port 8080",
        "--port 0 --scorer models/nli",
        "--judge https://api.openai.com/v1 --judge_model NAME",
    ),
)
