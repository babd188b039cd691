"""Compare values: numbers with their units, amounts, dates, times and phone numbers."""

from collections.abc import Iterator
from itertools import product
from math import isclose
from typing import NamedTuple

from groundwatch.schemas.verdict import ContradictionKind
from groundwatch.transforms.lexical.units import MONEY, Unit

DATE, TIME, PHONE, NUMBER, WEEKDAY = "date", "time", "phone", "number", "weekday"
HALF_DAY, HOUR = 720, 60
"""Hours are in minutes."""

Parts = tuple[int | None, int | None, int | None]


class Value(NamedTuple):
    """A value, and its place in a text in characters.

    Attributes:
      raw: what a number may be, without its unit: 1.299 may be 1299.
      units: what its unit may be.
      dates: what a date may be, as year, month and day, each None if it is not said.
      is_implied: "a month" means one month only beside another value.
      is_decade: a date is any of the ten years from `dates` on.
    """

    kind: str
    start: int
    end: int
    raw: tuple[float, ...] = ()
    units: tuple[Unit, ...] = ()
    dates: tuple[Parts, ...] = ()
    is_implied: bool = False
    is_decade: bool = False

    def equals(self, other: "Value") -> bool:
        """Return whether both may say the same."""
        if self.dates and other.dates:
            return any(_agree(own, its) for own, its in self._dates_beside(other))
        if self.dates or other.dates:
            date, number = (self, other) if self.dates else (other, self)
            return number.kind == NUMBER and any(
                parts in date.dates for parts in _years(number.raw)
            )
        if self.kind != other.kind:
            return not {self.kind, other.kind} - {TIME, NUMBER} and self._is_hour(other)
        if not (self.units and other.units):
            return not self.raw or any(own in other.raw for own in self.raw)
        return any(
            one.dimension == two.dimension
            and (bool(one.factor and two.factor) or any(own in other.raw for own in self.raw))
            and any(
                _are_close(own * one.factor, its * two.factor, one.dimension)
                for own, its in product(self.raw, other.raw)
            )
            for one, two in product(self.units, other.units)
        )

    def is_said_by(self, other: "Value") -> bool:
        """Return whether the other value says all that this one says."""
        if self.dates and other.dates:
            return any(_includes(its, own) for own, its in self._dates_beside(other))
        return bool(self.units) == bool(other.units) and self.equals(other)

    def measures_like(self, other: "Value") -> bool:
        """Return whether the other value may stand in the place of this one."""
        if {self.kind, other.kind} <= {TIME, NUMBER} and self.kind != other.kind:
            return not (self.units or other.units)
        if self.kind != other.kind:
            return False
        own, its = ({unit.dimension for unit in each.units} for each in (self, other))
        return bool(own & its) or not (own or its) or bool(own & MONEY and its & MONEY)

    def _dates_beside(self, other: "Value") -> Iterator[tuple[Parts, Parts]]:
        pairs = product(self.dates, other.dates)
        if not (self.is_decade or other.is_decade):
            yield from pairs
            return
        for own, its in pairs:
            yield _decade_of(own), _decade_of(its)

    def _is_hour(self, other: "Value") -> bool:
        time, number = (self, other) if self.kind == TIME else (other, self)
        # 9.30 may be half past nine.
        hours = [minutes // HOUR + minutes % HOUR / 100 for minutes in time.raw]
        afternoon = [hour - HALF_DAY // HOUR for hour in hours]
        return not number.units and not {*hours, *afternoon}.isdisjoint(number.raw)


def contradiction_kind(value: Value, other: Value) -> ContradictionKind:
    """Return by what two values differ."""
    if value.kind in (DATE, WEEKDAY):
        return ContradictionKind.DATE
    is_same_number = bool(value.units) and any(own in other.raw for own in value.raw)
    return ContradictionKind.UNIT if is_same_number else ContradictionKind.NUMBER


def _agree(one: Parts, two: Parts) -> bool:
    """Return whether two dates have a part in common, and no part differs."""
    both = [(own, its) for own, its in zip(one, two, strict=True) if own and its]
    return bool(both) and all(own == its for own, its in both)


def _decade_of(parts: Parts) -> Parts:
    return (parts[0] // 10 * 10 if parts[0] else None, None, None)


def _years(raw: tuple[float, ...]) -> list[Parts]:
    return [(int(number), None, None) for number in raw if number == int(number)]


def _includes(whole: Parts, part: Parts) -> bool:
    return all(own is None or own == its for own, its in zip(part, whole, strict=True))


_DATA = (1.0, 1.024, 1.024**2, 1.024**3)


def _are_close(one: float, two: float, dimension: str) -> bool:
    if dimension == "data":
        return any(isclose(one * each, two) or isclose(one, two * each) for each in _DATA)
    if dimension == "temperature" and not (one and two):
        return True
    if isclose(one, two):
        return True
    # Twelve months are a year, and a month has 28 to 31 days.
    return dimension == "time" and min(one, two) >= 2_000_000 and isclose(one, two, rel_tol=0.036)  # noqa: PLR2004 - the seconds of a month, roughly
