"""Units of measurement with their spellings."""

from collections.abc import Iterator
from typing import NamedTuple

_SPELLINGS = """
length: mm millimeter millimeters millimetre millimetres, cm centimeter centimeters centimetre
  centimetres, m meter meters metre metres, km kilometer kilometers kilometre kilometres,
  inch inches, foot feet ft, yard yards yd, mile miles mi
mass: mg milligram milligrams, g gram grams, kg kilogram kilograms kilo kilos, lb lbs pound pounds,
  oz ounce ounces, ton tons tonne tonnes
volume: ml milliliter milliliters millilitre millilitres, l liter liters litre litres,
  gallon gallons gal, quart quarts, pint pints, cup cups, tablespoon tablespoons tbsp,
  teaspoon teaspoons tsp
time: second seconds sec secs, minute minutes min mins, hour hours hr hrs, day days, week weeks,
  month months, year years yr yrs, decade decades, century centuries
temperature: celsius, fahrenheit, degree degrees °
share: % percent
money: $ dollar dollars usd, € euro euros eur, £ gbp, cent cents
data: kb kilobyte kilobytes, mb megabyte megabytes, gb gigabyte gigabytes, tb terabyte terabytes
power: w watt watts, kw kilowatt kilowatts
energy: kwh, calorie calories kcal
"""
"""Kinds of units; the first spelling of a unit is its name."""

_DEGREE = "degree"


class Unit(NamedTuple):
    """A unit: its kind, such as length, and its name."""

    kind: str
    name: str

    def may_equal(self, other: "Unit") -> bool:
        """Return whether two units may be the same; "degree" does not say which."""
        return self == other or (self.kind == other.kind and _DEGREE in {self.name, other.name})


def _units() -> Iterator[tuple[str, Unit]]:
    for line in _SPELLINGS.replace("\n  ", " ").strip().split("\n"):
        kind, _, units = line.partition(": ")
        for spellings in map(str.split, units.split(",")):
            yield from dict.fromkeys(spellings, Unit(kind, spellings[0])).items()
    for name in ("celsius", "fahrenheit"):
        for degrees in ("degree", "degrees", "°"):
            yield f"{degrees} {name}", Unit("temperature", name)
            yield f"{degrees} {name[0]}", Unit("temperature", name)


UNITS = dict(_units())
"""Units by each spelling in lower case."""

CURRENCIES = frozenset("$€£")
"""Signs in front of a number."""

SCALES = {"hundred": 100.0, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
"""The factor of a word behind a number."""
