"""Detect that the database or the output folder of a running worker was deleted or replaced."""

import os
from pathlib import Path

from groundwatch.pipeline import storage
from groundwatch.transforms.persistence.private_files import make_folder


class OwnershipLost(Exception):
    """The database or output of the worker was deleted or replaced: it may acknowledge nothing."""


class OwnedPaths:
    """Remember the database and the local output folder that a worker started with.

    A deleted file that is open can still be written, and a deleted folder is created again, so
    neither fails by itself. While they are open, no other file gets their inodes: SQLite keeps the
    database open. Opening it here, too, would release SQLite's locks when it is closed.
    """

    def __init__(self, database: str, output: str) -> None:
        self._started = {database: Path(database).stat()}
        self._output: int | None = None
        if storage.is_local(output):
            make_folder(output)
            self._output = os.open(output, os.O_RDONLY)
            self._started[output] = os.fstat(self._output)

    def check(self) -> None:
        """Raise `OwnershipLost` if a path was deleted or replaced since the start."""
        for path, started in self._started.items():
            if change := _change(path, started):
                raise OwnershipLost(
                    f"{path} was {change} while the worker was running: it stops, and acknowledges"
                    " nothing more. Start it again: Pub/Sub delivers unacknowledged messages again"
                )

    def close(self) -> None:
        if self._output is not None:
            os.close(self._output)


def _change(path: str, started: os.stat_result) -> str | None:
    try:
        is_same = os.path.samestat(Path(path).stat(), started)
    except FileNotFoundError:
        return "deleted"
    return None if is_same else "replaced"
