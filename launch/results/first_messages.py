"""Read the first messages of a job's input once more, as examples for a person."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.sources.archives import read_archive, read_failures
from groundwatch.pipeline.sources.compression import DamagedArchive
from groundwatch.schemas.message import Message

_MESSAGES = 1_000


def first_messages(config: Config) -> Iterator[Message]:
    """Read the first thousand messages of the input, fewer where it cannot be read further."""
    with suppress(DamagedArchive, OSError):
        yield from islice(_messages(config), _MESSAGES)


def _messages(config: Config) -> Iterator[Message]:
    """Read the input as far as it is taken, without a look at its checksums."""
    read = read_failures if config.replays else read_archive
    for path in config.inputs:
        with storage.read_ahead(path) as stream:
            yield from read(stream, path)
