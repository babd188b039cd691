"""Read one file of the input."""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, cast

from msgspec.structs import replace

from pipeline import storage
from pipeline.archives import has_checksums, has_late_checksums, read_archive
from pipeline.avro_blocks import Buffered
from pipeline.contents import Contents, FileChanged, examine, read_examined
from pipeline.failures import read_failures
from schemas.message import Message


def read_file(
    path: str,
    *,
    are_failures: bool,
    salvage: bool = False,
    watch: Callable[[IO[bytes]], None] | None = None,
) -> Iterator[Message]:
    """Read the messages of a file that count, after its checksums were verified.

    Args:
      path: local or gs://; a compressed file is read twice.
      are_failures: whether its lines are failures of an earlier run.
      salvage: whether the records before a damage count, too.
      watch: is called with the file whenever it was opened, to follow how far it is read.

    Yields:
      The messages in the file's order, one at a time.

    Raises:
      OSError: the file cannot be opened or read, has changed meanwhile, or a line of failures is
        not one.
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
    """Read a file to its end, and find out how many of its records count.

    Raises:
      OSError: the file cannot be read, or a line of failures is not one.
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
    """Read the messages of a file that count, once it was examined.

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
    with storage.telling(f"cannot read {path}"), storage.read(path) as stream:
        yield io.BufferedReader(cast("io.RawIOBase", stream))
