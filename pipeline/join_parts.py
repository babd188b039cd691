"""Several parts of one kind and folder, joined to one."""

import shutil
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from pipeline import storage
from pipeline.part import Part
from pipeline.row_files import RowFormat

_COPY_BYTES = 1024 * 1024


def join_parts(parts: Sequence[Part], row_format: RowFormat, path: str) -> Part:
    """Write one header, and what stands behind it in each part, as it is.

    Args:
      parts: at least one, all of one run, kind and folder.
      row_format: how their rows are laid out.
      path: where to write them.

    Returns:
      The joined part; the others stay.

    Raises:
      OSError: a part cannot be read, or the new one not be written.
    """
    with storage.telling(f"cannot write {path}"), storage.create(path) as joined:
        joined.write(row_format.header())
        for part in parts:
            with storage.telling(f"cannot read {part.path}"), storage.read(part.path) as stream:
                row_format.skip_header(stream)
                shutil.copyfileobj(stream, joined, _COPY_BYTES)
        size = joined.tell()
    firsts = [part.first_event_us for part in parts if part.first_event_us is not None]
    lasts = [part.last_event_us for part in parts if part.last_event_us is not None]
    return Part(
        path=path,
        kind=row_format.kind,
        folder=parts[0].folder,
        rows=sum(part.rows for part in parts),
        size_bytes=size,
        first_event_us=min(firsts, default=None),
        last_event_us=max(lasts, default=None),
    )


class Sized(Protocol):
    """Something that takes room in a file."""

    @property
    def size_bytes(self) -> int:
        """How many bytes."""
        ...


SizedPart = TypeVar("SizedPart", bound=Sized)


def cut_to_files(parts: Iterable[SizedPart], file_bytes: int) -> Iterator[list[SizedPart]]:
    """Cut a row of parts wherever they have become a file's worth.

    Args:
      parts: of one kind and folder.
      file_bytes: as long as a file is to be; it may be longer by one part.

    Yields:
      The parts of each file, in their order.
    """
    group: list[SizedPart] = []
    size = 0
    for part in parts:
        group.append(part)
        size += part.size_bytes
        if size >= file_bytes:
            yield group
            group, size = [], 0
    if group:
        yield group
