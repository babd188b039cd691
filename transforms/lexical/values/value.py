"""Compare values: numbers with their units, amounts, dates, times and phone numbers."""

from collections.abc import Iterable
from itertools import product
from math import isclose
from typing import NamedTuple

from groundwatch.schemas.verdict import ContradictionKind
from .units import MONEY, Unit

DATE, TIME, PHONE, NUMBER, WEEKDAY = "date", "time", "phone", "number", "weekday"
HALF_DAY, HOUR = 720, 60
"""Hours are in minutes."""

MINUTE_S, HOUR_S = 60, 3600

_PLAIN, _HUNDREDTH = Unit("", 1.0), Unit("", 0.01)
_MOST_OFF = 0.05
_MORE_DIGITS = 2
"""So many more digits an exact number has than one that is "over" or "nearly" it. "Over $50" may be
exact, too."""

Parts = tuple[int | None, int | None, int | None]


class Value(NamedTuple):
    """A value, and its place in a text in characters.

    Attributes:
      raw: what a number may be, without its unit: 1.299 may be 1299.
      units: what its unit may be.
      dates: what a date may be, as year, month and day, each None if it is not said.
      is_implied: "a month" means one month only beside another value.
      is_decade: a date is any of the ten years from `dates` on.
      last: what the last number of a range may be: "3 to 5 days".
      per_s: the period of a rate, in seconds: "5 a day". 0 if it has none.
      hedge: how exact a number is: "about", "over", "under" or "" (exact).
      is_limit: a value of the question is a limit: "under 2 kg".
    """

    kind: str
    start: int
    end: int
    raw: tuple[float, ...] = ()
    units: tuple[Unit, ...] = ()
    dates: tuple[Parts, ...] = ()
    is_implied: bool = False
    is_decade: bool = False
    last: tuple[float, ...] = ()
    per_s: float = 0.0
    hedge: str = ""
    is_limit: bool = False

    @property
    def date_parts(self) -> frozenset[tuple[int, int | None]]:
        """The years (0), months (1) and days (2) of a date, one of which an equal date has, too.

        Empty for another value, and for a decade, whose years it would not name.
        """
        dates = () if self.is_decade else self.dates
        return frozenset(part for parts in dates for part in enumerate(parts) if part[1])

    @property
    def is_label(self) -> bool:
        """Whether it may say what another value is of: "at 9 on weekdays, at 11 on Sundays"."""
        return self.is_implied or self.kind in (PHONE, WEEKDAY)

    @property
    def is_plain(self) -> bool:
        """Whether it is a number without a unit."""
        return self.kind == NUMBER and not self.units

    def equals(self, other: "Value") -> bool:
        """Return whether both may say the same."""
        if self.dates and other.dates:
            return any(_agree(own, its) for own, its in self._dates_beside(other))
        if self.dates or other.dates:
            date, number = (self, other) if self.dates else (other, self)
            years = [(each, None, None) for each in number.raw]
            return number.kind == NUMBER and not set(years).isdisjoint(date.dates)
        if self.kind != other.kind:
            return not {self.kind, other.kind} - {TIME, NUMBER} and self._is_hour(other)
        if self.per_s and other.per_s and self.per_s != other.per_s:
            return False
        if not (self.units and other.units):
            return not self.raw or self._agrees(
                other, self.unit_beside(other), other.unit_beside(self)
            )
        return any(
            one.dimension == two.dimension
            and (bool(one.factor and two.factor) or self.has_number_of(other))
            and self._agrees(other, one, two)
            for one, two in product(self.units, other.units)
        )

    def is_said_by(self, other: "Value") -> bool:
        """Return whether the other value says all that this one says."""
        if self.dates and other.dates:
            return any(_includes(its, own) for own, its in self._dates_beside(other))
        is_alike = bool(self.units) == bool(other.units) or TIME in (self.kind, other.kind)
        return is_alike and bool(self.last) == bool(other.last) and self.equals(other)

    def has_number_of(self, other: "Value") -> bool:
        """Return whether both have the same number or range, in whatever unit."""
        is_same_last = self.last == other.last or any(own in other.last for own in self.last)
        return is_same_last and any(own in other.raw for own in self.raw)

    def unit_beside(self, other: "Value") -> Unit:
        """Return the unit of a number where one of both has none: 25% is 1/4."""
        is_share = any(unit.dimension == "share" for unit in self.units)
        return _HUNDREDTH if is_share and max(other.raw, default=1) < 1 else _PLAIN

    def _agrees(self, other: "Value", unit: Unit, its_unit: Unit) -> bool:
        """Return whether the numbers, or one with a range that has it, are equal in their units."""
        own, its = unit.factor, its_unit.factor
        if self.last and other.last:
            return _any_close(self.raw, own, other.raw, its_unit) and _any_close(
                self.last, own, other.last, its_unit
            )
        if self.last or other.last:
            (span, of_span), (one, of_one) = (
                ((self, own), (other, its)) if self.last else ((other, its), (self, own))
            )
            return any(
                span.raw[0] * of_span <= number * of_one <= span.last[0] * of_span
                for number in one.raw
            )
        if _any_close(self.raw, own, other.raw, its_unit):
            return True
        if bool(self.hedge) == bool(other.hedge) or not (own and its):
            return False
        if self.hedge:
            exact, factor, hedged = other.raw, its / own, self
        else:
            exact, factor, hedged = self.raw, own / its, other
        return any(_rounds(*pair, factor, hedged.hedge) for pair in product(exact, hedged.raw))

    def measures_like(self, other: "Value") -> bool:
        """Return whether the other value may stand in the place of this one."""
        if {self.kind, other.kind} <= {TIME, NUMBER} and self.kind != other.kind:
            return not (self.units or other.units)
        if self.kind != other.kind:
            return False
        own, its = ({unit.dimension for unit in each.units} for each in (self, other))
        return bool(own & its) or not (own or its) or bool(own & MONEY and its & MONEY)

    def _dates_beside(self, other: "Value") -> Iterable[tuple[Parts, Parts]]:
        pairs = product(self.dates, other.dates)
        if not (self.is_decade or other.is_decade):
            return pairs
        return ((_decade_of(own), _decade_of(its)) for own, its in pairs)

    def _is_hour(self, other: "Value") -> bool:
        time, number = (self, other) if self.kind == TIME else (other, self)
        if number.units:  # "1h30" may be a duration.
            unit = number.units[0]
            return unit.dimension == "time" and any(
                isclose(each * unit.factor, minutes * MINUTE_S)
                for each, minutes in product(number.raw, time.raw)
            )
        # 9.30 may be half past nine.
        hours = [minutes // HOUR + minutes % HOUR / 100 for minutes in time.raw]
        afternoon = [hour - HALF_DAY // HOUR for hour in hours]
        return not {*hours, *afternoon}.isdisjoint(number.raw)


def contradiction_kind(value: Value, other: Value) -> ContradictionKind:
    """Return by what two values differ."""
    if value.kind in (DATE, WEEKDAY):
        return ContradictionKind.DATE
    has_unit = bool(value.units or (value.per_s and other.per_s))
    is_same_number = has_unit and value.has_number_of(other)
    return ContradictionKind.UNIT if is_same_number else ContradictionKind.NUMBER


def _agree(one: Parts, two: Parts) -> bool:
    """Return whether two dates have a part in common, and no part differs."""
    is_shared = False
    for own, its in zip(one, two, strict=True):
        if own and its:
            if own != its:
                return False
            is_shared = True
    return is_shared


def _decade_of(parts: Parts) -> Parts:
    return (parts[0] // 10 * 10 if parts[0] else None, None, None)


def _includes(whole: Parts, part: Parts) -> bool:
    return all(own is None or own == its for own, its in zip(part, whole, strict=True))


def _any_close(
    numbers: tuple[float, ...], factor: float, others: tuple[float, ...], unit: Unit
) -> bool:
    return any(
        _are_close(own * factor, its * unit.factor, unit.dimension)
        for own, its in product(numbers, others)
    )


def _rounds(number: float, rounded: float, factor: float, hedge: str) -> bool:
    """Return whether an exact number, in the unit of a hedged one, rounds to it: 66.76 to 67."""
    digits, place = _last_place(rounded)
    more = _last_place(number)[0] - digits
    steps = (number * factor - rounded) / place
    if abs(steps) * place > _MOST_OFF * rounded:
        return False
    match hedge:
        case "about":
            return more >= 1 and abs(steps) <= 0.5  # noqa: PLR2004 - half a place
        case "over":
            return more >= _MORE_DIGITS and 0 <= steps < 1
        case _:
            return more >= _MORE_DIGITS and -1 < steps <= 0


def _last_place(number: float) -> tuple[int, float]:
    """Return how many digits of a number count, and the place of the last: 2 and .1 of 8.5."""
    mantissa, exponent = f"{number:.8e}".split("e")
    digits = len(mantissa.replace(".", "").rstrip("0")) or 1
    return digits, 10.0 ** (int(exponent) - digits + 1)


_DATA = (1.0, 1.024, 1.024**2, 1.024**3)


def _are_close(one: float, two: float, dimension: str) -> bool:
    if dimension == "data":
        return any(isclose(one * each, two) or isclose(one, two * each) for each in _DATA)
    if dimension == "temperature" and not (one and two):
        return True
    if isclose(one, two):
        return bool(dimension) or one == two
    # Twelve months are a year, and a month has 28 to 31 days.
    return dimension == "time" and min(one, two) >= 2_000_000 and isclose(one, two, rel_tol=0.036)  # noqa: PLR2004 - the seconds of a month, roughly
