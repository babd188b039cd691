"""Write enriched records to a CSV file for spreadsheets, one line an answer."""

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from operator import itemgetter
from typing import IO, Any
from unicodedata import category, normalize

from groundwatch.schemas.avro import load_schema
from groundwatch.schemas.quantities import to_rfc3339, to_us

# A spreadsheet runs a cell that begins so as a formula, also in another width, and behind what it
# skips or nobody sees. Source: https://owasp.org/www-community/attacks/CSV_Injection
_FORMULA_SIGNS = frozenset("=+-@")
_BEFORE_FORMULAS = tuple("\t\r\n")
_UNSEEN = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})  # controls, formats and white space in Unicode

_Row = Mapping[str, Any]
_Column = tuple[str, Callable[[_Row], object]]


class CsvTable:
    """Write rows as lines, with a byte order mark by which Excel detects UTF-8."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._text = io.TextIOWrapper(stream, "utf-8-sig", newline="")
        self._writer = csv.writer(self._text)
        self._columns = list(_columns())
        self._writer.writerow(name for name, _ in self._columns)

    def write(self, rows: Sequence[_Row]) -> None:
        """Add rows as fastavro reads them."""
        self._writer.writerows([_cell(read(row)) for _, read in self._columns] for row in rows)

    def close(self) -> None:
        """Write what is buffered; the stream stays open."""
        self._text.detach()


def _columns() -> Iterator[_Column]:
    """List the columns: simple fields, those of records, and the number of each list's items."""
    yield from _simple_columns(load_schema("enriched_answer")["fields"])
    yield "event_date", itemgetter("event_date")
    yield "worst_claim", _worst_claim


def _simple_columns(
    fields: Sequence[Mapping[str, Any]], path: tuple[str, ...] = ()
) -> Iterator[_Column]:
    for field in fields:
        kind, names = field["type"], (*path, field["name"])
        kind = kind[1] if isinstance(kind, list) else kind
        read, column = partial(_read, names), "_".join(names)
        if isinstance(kind, str) or "logicalType" in kind or kind.get("items") == "string":
            yield column, read
        elif kind["type"] == "array":
            yield f"{column}_count", lambda row, read=read: len(read(row))  # type: ignore[misc]
        elif kind["type"] == "record":
            yield from _simple_columns(kind["fields"], names)


def _read(names: Sequence[str], row: _Row) -> Any:
    """Return a field of a record in a record, None if one of them is null or absent."""
    value: Any = row
    for name in names:
        value = value and value.get(name)
    return value


def _worst_claim(row: _Row) -> str | None:
    claims = (
        claim
        for claim in row["claims"]
        if claim["score"] is not None and claim["grounding_check_required"] is not False
    )
    worst = min(claims, key=itemgetter("score"), default=None)
    return worst and worst["text"]


def _cell(value: object) -> object:
    if isinstance(value, list):
        value = " ".join(value)
    if isinstance(value, datetime):
        return to_rfc3339(to_us(value))
    return _guard_formula(value) if isinstance(value, str) else value


def _guard_formula(cell: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would take for a formula."""
    first = next((sign for sign in cell if category(sign) not in _UNSEEN), "")
    is_formula = cell.startswith(_BEFORE_FORMULAS) or normalize("NFKC", first) in _FORMULA_SIGNS
    return f"'{cell}" if is_formula else cell
