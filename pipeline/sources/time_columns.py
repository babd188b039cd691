"""Find the columns of a table that are times as people write them, and write these as RFC 3339.

`16.11.2026 08:00` is on the 16th. Whether `03/04/2026 8:00 AM` is in March or in April, only the
other cells of its column say: one with a day above 12.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Literal

TimeForm = Literal["D.M.Y", "D/M/Y", "M/D/Y"]
Row = dict[str, str | None]
EachRow = Callable[[Row], Row]
"""Sees a row, and may change it."""

_FORMS: Mapping[str, tuple[TimeForm, ...]] = {".": ("D.M.Y",), "/": ("D/M/Y", "M/D/Y")}
_TIME = re.compile(
    r"(\d{1,2})([./])(\d{1,2})\2(\d{4}),? {1,2}(\d{1,2}):(\d\d)(?::(\d\d))?(?: ?([AaPp])[Mm])?",
    re.ASCII,
)
_NOON = 12


def unchanged(row: Row) -> Row:
    """Return a row as it is."""
    return row


class TimeColumns:
    """The forms that the cells of each column can have, as far as a table was read."""

    def __init__(self) -> None:
        self._forms: dict[str, tuple[TimeForm, ...]] | None = None
        self._filled: set[str] = set()

    def add(self, row: Row) -> Row:
        """Take a row into account, and return it as it is."""
        if self._forms is None:
            every = tuple(form for forms in _FORMS.values() for form in forms)
            self._forms = dict.fromkeys(row, every)
        for name, forms in list(self._forms.items()):
            if cell := row.get(name):
                self._filled.add(name)
                self._forms[name] = tuple(form for form in forms if _read(cell, form))
                if not self._forms[name]:
                    del self._forms[name]
        return row

    @property
    def may_be_any(self) -> bool:
        """Whether some column has no cell yet that is in none of the forms."""
        return bool(self._forms)

    def found(self) -> dict[str, TimeForm]:
        """Return the columns whose cells are all times of one form, which is certain."""
        columns = (self._forms or {}).items()
        return {
            name: forms[0] for name, forms in columns if len(forms) == 1 and name in self._filled
        }


def with_times(row: Row, forms: Mapping[str, TimeForm]) -> Row:
    """Return a row with the times of some columns in RFC 3339, in UTC.

    >>> with_times({"when": "16.11.2026 08:00", "reply": "Yes."}, {"when": "D.M.Y"})
    {'when': '2026-11-16T08:00:00Z', 'reply': 'Yes.'}
    """
    times = ((name, _read(row.get(name) or "", form)) for name, form in forms.items())
    return row | {name: f"{time.isoformat()}Z" for name, time in times if time}


def _read(cell: str, form: TimeForm) -> datetime | None:
    """Read a cell in a form, None if it is in another one, or no time of the calendar."""
    found = _TIME.fullmatch(cell.strip())
    if found is None or form not in _FORMS[found[2]]:
        return None
    first, second, year, hour, minute = map(int, found.group(1, 3, 4, 5, 6))
    day, month = (first, second) if form.startswith("D") else (second, first)
    if half := found[8]:
        if not 1 <= hour <= _NOON:
            return None
        hour = hour % _NOON + (_NOON if half in "Pp" else 0)
    try:
        return datetime(year, month, day, hour, minute, int(found[7] or 0))  # noqa: DTZ001 - UTC
    except ValueError:
        return None
