"""Detect that the database or the output folder of a running worker was deleted or replaced."""

import os
from pathlib import Path

from pipeline import storage
from transforms.persistence.private_files import make_folder


class OwnershipLost(Exception):
    """The database or output of the worker was deleted or replaced: it may acknowledge nothing."""


class OwnedPaths:
    """Keep the database and the local output folder open that a worker started with.

    A deleted file that is open can still be written, and a deleted folder is created again, so
    neither fails by itself. While they are open, no other file gets their inodes.
    """

    def __init__(self, database: str, output: str) -> None:
        paths = [database]
        if storage.is_local(output):
            make_folder(output)
            paths.append(output)
        self._descriptors = {path: os.open(path, os.O_RDONLY) for path in paths}

    def check(self) -> None:
        """Raise `OwnershipLost` if a path was deleted or replaced since the start."""
        for path, descriptor in self._descriptors.items():
            if change := _change(path, descriptor):
                raise OwnershipLost(
                    f"{path} was {change} while the worker was running: it stops, and acknowledges"
                    " nothing more. Start it again: Pub/Sub delivers unacknowledged messages again"
                )

    def close(self) -> None:
        """Close the files and folders."""
        for descriptor in self._descriptors.values():
            os.close(descriptor)


def _change(path: str, descriptor: int) -> str | None:
    try:
        is_same = os.path.samestat(Path(path).stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return "deleted"
    return None if is_same else "replaced"
