"""Start a streaming job when its flags are valid: an import of Beam takes a second."""

from groundwatch.launch.cli.commands.watch import WatchStreamSettings
from groundwatch.pipeline.settings.load import Loaded


def watch_stream(loaded: Loaded[WatchStreamSettings]) -> int:
    """Start a streaming job, or raise UsageError; return the exit status."""
    loaded.raise_problems()
    from .streaming import stream  # noqa: PLC0415 - it imports Beam

    return stream(loaded)
