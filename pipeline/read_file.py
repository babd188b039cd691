"""Reading one file of the input from its beginning."""

from collections.abc import Iterator

from pipeline import storage
from pipeline.archives import read_archive
from pipeline.failures import read_failures
from schemas.message import Message


def read_file(path: str, *, are_failures: bool) -> Iterator[Message]:
    """Read an archive, or what an earlier run could not handle.

    Args:
      path: local or gs://.
      are_failures: whether its lines are failures.

    Yields:
      The messages in the file's order, one at a time.

    Raises:
      OSError: the file cannot be opened or read, or a line of failures is none.
      DamagedArchive: after the last good record.
    """
    read_records = read_failures if are_failures else read_archive
    with storage.telling(f"cannot read {path}"), storage.read(path) as stream:
        yield from read_records(stream, path)
