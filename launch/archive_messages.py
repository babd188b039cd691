"""The messages of some archives, for commands that read them without a pipeline."""

import logging
from collections.abc import Iterator, Sequence
from typing import IO

from rich.console import Console
from rich.progress import Progress

from pipeline import storage
from pipeline.archives import DamagedArchive, read_archive
from schemas.message import Message

_MESSAGES_BETWEEN_LOOKS = 256
_log = logging.getLogger(__name__)


class ArchiveMessages:
    """The messages of some archives, in order, with a bar on a terminal while they are read.

    Attributes:
      damaged: how many archives ended too soon so far.

    Args:
      paths: the archives' files, local or gs://.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self.damaged = 0
        self._paths = tuple(paths)

    def __iter__(self) -> Iterator[Message]:
        """Read all archives once.

        Raises:
          OSError: a file cannot be read.
        """
        console = Console(stderr=True)
        with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
            sizes = [storage.size(path) for path in self._paths]
            task, before = bar.add_task("reading", total=sum(sizes)), 0
            for path, size in zip(self._paths, sizes, strict=True):
                for number, (message, stream) in enumerate(self._read(path)):
                    yield message
                    if number % _MESSAGES_BETWEEN_LOOKS == 0:
                        bar.update(task, completed=before + stream.tell())
                before += size

    def _read(self, path: str) -> Iterator[tuple[Message, IO[bytes]]]:
        """Yield each message, and the file from which it was read."""
        count = 0
        with storage.telling(f"cannot read {path}"), storage.read(path) as stream:
            try:
                for message in read_archive(stream, path):
                    count += 1
                    yield message, stream
            except DamagedArchive as error:
                _log.error("%s is damaged after %d good records: %s", path, count, error)
                self.damaged += 1
