"""Reading the messages back that a run could not handle."""

from collections.abc import Iterator
from typing import IO

from pipeline.archive_lines import MAX_LINE_BYTES
from pipeline.archives import read_archive
from schemas.json_lines import message_of_failure
from schemas.message import Message

_MAX_LINE_BYTES = 2 * MAX_LINE_BYTES
"""A failure holds the bytes of its message in base64, which takes a third more."""


def read_failures(stream: IO[bytes], path: str) -> Iterator[Message]:
    """Read a file of failures, plain or packed.

    Args:
      stream: the file from its beginning.
      path: its name, for what is wrong with it.

    Yields:
      The messages that failed, as they were, in the file's order.

    Raises:
      OSError: a line is no failure, or one without its original bytes: nothing can be replayed.
      DamagedArchive: the file ends too soon.
    """
    for line in read_archive(stream, path, max_line_bytes=_MAX_LINE_BYTES):
        try:
            yield message_of_failure(line.payload)
        except ValueError as error:
            raise OSError(f"{line.place}: {error}") from None
