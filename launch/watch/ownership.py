"""Notice that the journal or the output folder of a running worker was deleted or replaced."""

import os
from collections.abc import Iterable

Identity = tuple[int, int]
"""A file's device and inode, which no other file has as long as it is there."""


class OwnershipLost(Exception):
    """A file or folder of the worker is gone, or is another one now: nothing more may be acked."""


class OwnedPaths:
    """Remember which files and folders a worker began with.

    A deleted file that is open can still be written, and a deleted folder is easily made again, so
    neither fails by itself.

    Args:
      paths: local files and folders, all there.

    Raises:
      OSError: one is not there.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._identities = {path: _identity(path) for path in paths}

    def check(self) -> None:
        """Compare each path with what it was at the start.

        Raises:
          OwnershipLost: one was deleted or replaced.
        """
        for path, identity in self._identities.items():
            try:
                is_same = _identity(path) == identity
            except FileNotFoundError:
                raise OwnershipLost(
                    f"{path} was deleted while the worker was running: it stops, and acknowledges"
                    " nothing more. Start it again; messages that are not acknowledged come again"
                ) from None
            if not is_same:
                raise OwnershipLost(
                    f"{path} was replaced while the worker was running: it stops, and acknowledges"
                    " nothing more. Start it again; messages that are not acknowledged come again"
                )


def _identity(path: str) -> Identity:
    status = os.stat(path)  # noqa: PTH116 - a path of str, several times a second
    return status.st_dev, status.st_ino
