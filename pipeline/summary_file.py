"""The summary's place among a run's files."""

from pipeline import storage
from pipeline.destination import Destination
from schemas.summary import Summary, summary_to_json

_NAME = "summary.json"


def write_summary(destination: Destination, summary: Summary) -> None:
    """Write `summary.json`, whole.

    Raises:
      OSError: it cannot be written.
    """
    content = summary_to_json(summary)
    storage.write_whole(destination.path(_NAME), content, destination.temporary_path(_NAME))


def remove_summary(destination: Destination) -> None:
    """Take back what an earlier run under this id said: it is not true any more.

    Raises:
      OSError: it is there and cannot be removed.
    """
    storage.remove([destination.path(_NAME)])
