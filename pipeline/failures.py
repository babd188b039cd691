"""Read back the messages that a run could not handle."""

from collections.abc import Iterator

from pipeline.archive_lines import MAX_LINE_BYTES
from pipeline.archives import read_archive
from pipeline.avro_blocks import Buffered
from schemas.failure import message_of_failure
from schemas.message import Message

_MAX_LINE_BYTES = 2 * MAX_LINE_BYTES
"""A failure holds the bytes of its message in base64, which takes a third more."""


def read_failures(stream: Buffered, path: str, *, salvage: bool = False) -> Iterator[Message]:
    """Read a file of failures, compressed or not.

    Args:
      stream: the file from its beginning, buffered.
      path: its name, for what is wrong with it.
      salvage: as in `read_archive`.

    Yields:
      The messages that failed, as they were, in the file's order.

    Raises:
      OSError: a line is not a failure, or one without its original bytes: nothing can be replayed.
      DamagedArchive: the file is damaged.
    """
    lines = read_archive(stream, path, max_line_bytes=_MAX_LINE_BYTES, salvage=salvage)
    for line in lines:
        try:
            yield message_of_failure(line.payload)
        except ValueError as error:
            raise OSError(f"{line.place}: {error}") from None
