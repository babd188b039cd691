"""Read archive files, and only the records that their checksums confirm."""

import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import IO, cast

from msgspec.structs import replace

from pipeline import storage
from pipeline.sources.archives import has_checksums, has_late_checksums, read_archive, read_failures
from pipeline.sources.avro_blocks import Buffered
from pipeline.sources.compression import DamagedArchive
from schemas import Record
from schemas.message import SALVAGED, Message


class FileChanged(OSError):
    """A file has changed since its records were counted."""

    def __init__(self) -> None:
        super().__init__("it has changed since it was counted; give the same command again")


class Contents(Record, frozen=True, kw_only=True):
    """The records of an archive that count.

    Attributes:
      records: how many count.
      verified: how many of these a checksum confirms, or none covers; the others, at the end, are
        salvaged.
      damage: what is wrong with the file after these; None for an intact file.
      version: size in bytes and time of the last change of the file that was examined.
    """

    records: int
    verified: int
    damage: str | None = None
    version: tuple[int, int] = (0, 0)

    @property
    def messages(self) -> int:
        """Return the number of messages: one for each record, and one for a damage."""
        return self.records + (self.damage is not None)


def examine(records: Iterable[Message], *, salvage: bool) -> Contents:
    """Read an archive to its end and count its valid records.

    Args:
      records: of the archive, from its beginning; they may end in DamagedArchive.
      salvage: whether all records before a damage count.
    """
    read = 0
    try:
        for _ in records:
            read += 1
    except DamagedArchive as error:
        count = read if salvage else error.verified
        return Contents(records=count, verified=error.verified, damage=str(error))
    return Contents(records=read, verified=read)


def read_examined(records: Iterable[Message], contents: Contents) -> Iterator[Message]:
    """Yield the records that count, those that are salvaged with the attribute SALVAGED.

    Records that were appended to a file without checksums since are left to another run.

    Args:
      records: of the archive, from its beginning.
      contents: what `examine` found.

    Raises:
      DamagedArchive: after the last record that counts, if the file is damaged.
      FileChanged: the file has changed since it was examined.
    """
    coming = iter(records)
    number = 0
    try:
        for number, record in enumerate(islice(coming, contents.records), 1):
            yield record if number <= contents.verified else _salvaged(record)
        if contents.damage is None:
            # Only this reads the checksum at the end of the file.
            next(coming, None)
    except DamagedArchive:
        raise FileChanged from None
    if number < contents.records:
        raise FileChanged
    if contents.damage is not None:
        raise DamagedArchive(contents.damage, contents.verified)


def _salvaged(record: Message) -> Message:
    return replace(record, attributes={**record.attributes, SALVAGED: "true"})


def read_file(
    path: str,
    *,
    are_failures: bool,
    salvage: bool = False,
    watch: Callable[[IO[bytes]], None] | None = None,
) -> Iterator[Message]:
    """Verify a file, and read its valid messages.

    Args:
      path: local or gs://; a compressed file is read twice.
      are_failures: whether its lines are failures of an earlier run.
      salvage: whether the records before a damage count, too.
      watch: is called with each opened file, to follow the progress.

    Yields:
      The messages in the file's order, one at a time.

    Raises:
      OSError: the file cannot be read, has changed meanwhile, or has a line that is not a failure.
      DamagedArchive: after the last record that counts.
    """
    with _opened(path) as stream:
        if not (has_late_checksums(stream) or salvage):
            if watch:
                watch(stream)
            yield from _records(stream, path, are_failures=are_failures)
            return
    contents = examine_file(path, are_failures=are_failures, salvage=salvage)
    yield from read_examined_file(path, contents, are_failures=are_failures, watch=watch)


def examine_file(path: str, *, are_failures: bool, salvage: bool) -> Contents:
    """Read a file to its end, and count its valid records.

    Raises:
      OSError: the file cannot be read, or has a line that is not a failure.
    """
    with _opened(path) as stream:
        version = storage.version(path)
        records = _records(stream, path, are_failures=are_failures, salvage=True)
        return replace(examine(records, salvage=salvage), version=version)


def read_examined_file(
    path: str,
    contents: Contents,
    *,
    are_failures: bool,
    watch: Callable[[IO[bytes]], None] | None = None,
) -> Iterator[Message]:
    """Read the valid messages of an examined file.

    Raises:
      OSError: the file cannot be read, or has changed since.
      DamagedArchive: after the last record that counts.
    """
    with _opened(path) as stream:
        if watch:
            watch(stream)
        if has_checksums(stream) and storage.version(path) != contents.version:
            raise FileChanged
        records = _records(stream, path, are_failures=are_failures, salvage=True)
        yield from read_examined(records, contents)


def _records(
    stream: Buffered, path: str, *, are_failures: bool, salvage: bool = False
) -> Iterator[Message]:
    read = read_failures if are_failures else read_archive
    return read(stream, path, salvage=salvage)


@contextmanager
def _opened(path: str) -> Iterator[Buffered]:
    with storage.describing_errors(f"cannot read {path}"), storage.read(path) as stream:
        yield io.BufferedReader(cast("io.RawIOBase", stream))
