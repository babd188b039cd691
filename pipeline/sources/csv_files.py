"""Read tables of comma-separated values: the first row names the columns."""

import csv
import json
from collections.abc import Iterable, Iterator
from itertools import chain

from pipeline.sources.compression import DamagedArchive, FileChunk
from pipeline.sources.table_rows import row_message
from schemas.message import Message
from schemas.wire.json_input import MAX_PAYLOAD_BYTES

_NAMES = (".csv", ".tsv")
_SEPARATORS = ",\t;"
_BYTE_ORDER_MARK = "\ufeff"


def is_csv_name(path: str) -> bool:
    """Return whether a file is such a table, by its name; it may be compressed."""
    name = path.lower()
    return name.removesuffix(".gz").removesuffix(".zst").endswith(_NAMES)


def read_csv(chunks: Iterable[FileChunk], path: str, max_line_bytes: int) -> Iterator[Message]:
    """Read the rows of a table, until DamagedArchive.

    All cells are texts, and an empty one is absent. A row of another length than the first becomes
    a list, which no format reads, so that nothing is lost.
    """
    # The limit is one of the process, and no row of a message is larger.
    csv.field_size_limit(MAX_PAYLOAD_BYTES)
    lines = _Lines(chunks, max_line_bytes)
    try:
        header = next(iter(lines), "").removeprefix(_BYTE_ORDER_MARK)
        # Between the names of the columns, the separator is the most frequent one.
        separator = max(_SEPARATORS, key=header.count)
        rows = csv.reader(chain((header,), lines), delimiter=separator, strict=True)
        names = next(rows, [])
        _require_distinct(names)
        for row in filter(None, rows):
            lines.rows += 1
            place = f"{path}#{lines.rows}"
            if len(row) == len(names):
                cells = zip(names, row, strict=True)
                yield row_message({name: cell for name, cell in cells if cell}, place)
            else:
                text = json.dumps(row, ensure_ascii=False)
                yield Message(payload=text.encode(errors="surrogateescape"), place=place)
    except csv.Error as error:
        reason = f"it is no table of CSV behind row {lines.rows}: {error}"
        raise DamagedArchive(reason, lines.verified) from None
    except DamagedArchive as error:
        error.verified = lines.verified
        raise


class _Lines:
    """Split a file into lines; `verified` of the rows read so far are covered by a checksum."""

    def __init__(self, chunks: Iterable[FileChunk], max_line_bytes: int) -> None:
        self._lines = self._split(chunks)
        self._max_line_bytes = max_line_bytes
        self.rows = 0
        self.verified = 0

    def __iter__(self) -> Iterator[str]:
        return self._lines

    def _split(self, chunks: Iterable[FileChunk]) -> Iterator[str]:
        rest = b""
        for chunk in chunks:
            *whole, rest = (rest + chunk.data).split(b"\n")
            for line in whole:
                yield line.decode(errors="surrogateescape") + "\n"
            if chunk.is_verified:
                self.verified = self.rows
            if len(rest) > self._max_line_bytes:
                raise DamagedArchive(f"a line has more than {self._max_line_bytes} bytes")
        if rest:
            yield rest.decode(errors="surrogateescape")


def _require_distinct(names: list[str]) -> None:
    if twice := [name for name in names if names.count(name) > 1]:
        raise DamagedArchive(f"two of its columns have the name {twice[0][:40]!r}")
