"""A part while it is written."""

import shutil
import uuid
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from pipeline import storage
from pipeline.sinks.row_formats import RowFormat
from schemas import Record
from transforms.persistence.seen_ids import record_key


class Part(Record, frozen=True, kw_only=True, rename={"size_bytes": "bytes"}):
    """A finished file of one kind of row, to be published alone or joined with others.

    Attributes:
      path: where it is.
      kind: of its rows: ``enriched``, ``alerts`` or ``failures``.
      folder: the output folder that its rows belong to, relative to the output's root.
      rows, size_bytes: how many; stored as `bytes`, as in version 1.
      first_event_us, last_event_us: the range of event times, None where no row has one.
      keys: of the records in it, 16 bytes each, in their order; empty where nobody needs them.
    """

    path: str
    kind: str
    folder: str
    rows: int
    size_bytes: int
    first_event_us: int | None
    last_event_us: int | None
    keys: bytes = b""


_ROWS_BETWEEN_LOOKS = 64


class OpenPart:
    """A file that takes rows.

    Args:
      path: where to write it.
      folder: the output folder that its rows belong to, relative to the output's root.
      row_format: how its rows are written.
      with_keys: whether to note the key of each row, which must be enriched answers.

    Raises:
      OSError: it cannot be written, now or later.
    """

    def __init__(
        self, path: str, folder: str, row_format: RowFormat, *, with_keys: bool = False
    ) -> None:
        self._path = path
        self._format = row_format
        self._folder = folder
        self._complaint = f"cannot write {path}"
        with storage.describing_errors(self._complaint):
            self._stream = storage.create(path)
            self._file = row_format.open(self._stream)
        self._rows = 0
        self._keys = bytearray() if with_keys else None
        self._first_event_us: int | None = None
        self._last_event_us: int | None = None

    def exceeds(self, most_bytes: int) -> bool:
        """Tell whether the file has grown beyond a size; it may be some rows late."""
        # To ask the stream costs a call of the system, too much for every row.
        is_time_to_look = self._rows % _ROWS_BETWEEN_LOOKS == 0
        return is_time_to_look and self._stream.tell() > most_bytes

    def write(self, row: Any) -> None:
        """Add a row."""
        with storage.describing_errors(self._complaint):
            self._file.write(row)
        self._rows += 1
        if self._keys is not None:
            self._keys += record_key(row.record_id)
        event_time_us = self._format.event_time_us(row)
        if event_time_us is not None:
            first_us, last_us = self._first_event_us, self._last_event_us
            self._first_event_us = (
                event_time_us if first_us is None else min(event_time_us, first_us)
            )
            self._last_event_us = event_time_us if last_us is None else max(event_time_us, last_us)

    def close(self) -> Part:
        """Finish the file."""
        with storage.describing_errors(self._complaint):
            self._file.finish()
            size = self._stream.tell()
            self._stream.close()
        return Part(
            path=self._path,
            kind=self._format.kind,
            folder=self._folder,
            rows=self._rows,
            size_bytes=size,
            first_event_us=self._first_event_us,
            last_event_us=self._last_event_us,
            keys=bytes(self._keys or b""),
        )


def open_part(
    temporary_folder: str, folder: str, row_format: RowFormat, *, with_keys: bool = False
) -> OpenPart:
    """Begin a part under a unique name.

    Args:
      temporary_folder: where to write it.
      folder: the output folder that its rows belong to, relative to the output's root.
      row_format: how its rows are written.
      with_keys: as of `OpenPart`.

    Raises:
      OSError: it cannot be written.
    """
    name = f"{row_format.kind}-{uuid.uuid4().hex}.{row_format.extension}"
    path = storage.join(temporary_folder, name)
    return OpenPart(path, folder, row_format, with_keys=with_keys)


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
    with storage.describing_errors(f"cannot write {path}"), storage.create(path) as joined:
        joined.write(row_format.header())
        for part in parts:
            with (
                storage.describing_errors(f"cannot read {part.path}"),
                storage.read(part.path) as stream,
            ):
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
