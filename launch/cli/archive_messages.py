"""Read the messages of archives without a pipeline."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import IO

from rich.console import Console
from rich.progress import Progress

from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.sources.archives import read_archive, read_failures, read_file
from groundwatch.pipeline.sources.compression import DamagedArchive
from groundwatch.schemas.message import Message

_MESSAGES_BETWEEN_UPDATES = 256
_FIRST_MESSAGES = 1_000


class ArchiveMessages:
    """Read the messages of archives in order, with a progress bar on a terminal."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.damaged: list[str] = []
        self._paths = tuple(paths)

    def __iter__(self) -> Iterator[Message]:
        """Read all archives once; raise OSError if a file cannot be read."""
        console = Console(stderr=True)
        with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
            sizes = [storage.size(path) for path in self._paths]
            task, before = bar.add_task("reading", total=sum(sizes)), 0
            for path, size in zip(self._paths, sizes, strict=True):
                opened: list[IO[bytes]] = []
                for number, message in enumerate(self._read(path, opened)):
                    yield message
                    if number % _MESSAGES_BETWEEN_UPDATES == 0:
                        bar.update(task, completed=before + opened[-1].tell())
                before += size

    def _read(self, path: str, opened: list[IO[bytes]]) -> Iterator[Message]:
        count = 0
        try:
            for message in read_file(path, are_failures=False, watch=opened.append):
                count += 1
                yield message
        except DamagedArchive as error:
            self.damaged.append(f"{path}#after-record-{count}: {error}")


def first_messages(config: Config) -> Iterator[Message]:
    """Read the first thousand messages of the input, fewer where it cannot be read further."""
    with suppress(DamagedArchive, OSError):
        yield from islice(_messages(config), _FIRST_MESSAGES)


def _messages(config: Config) -> Iterator[Message]:
    """Read the input as far as it is taken, without a look at its checksums."""
    read = read_failures if config.replays else read_archive
    for path in config.inputs:
        with storage.read_ahead(path) as stream:
            yield from read(stream, path)
