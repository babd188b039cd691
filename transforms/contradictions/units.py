"""Units of measure, in each of their spellings."""

from collections.abc import Iterator
from typing import NamedTuple

_SPELLINGS = """
length: mm millimeter millimeters millimetre millimetres
length: cm centimeter centimeters centimetre centimetres
length: m meter meters metre metres
length: km kilometer kilometers kilometre kilometres
length: inch inches
length: foot feet ft
length: yard yards yd
length: mile miles mi
mass: mg milligram milligrams
mass: g gram grams
mass: kg kilogram kilograms kilo kilos
mass: lb lbs pound pounds
mass: oz ounce ounces
mass: ton tons tonne tonnes
volume: ml milliliter milliliters millilitre millilitres
volume: l liter liters litre litres
volume: gallon gallons gal
volume: quart quarts
volume: pint pints
volume: cup cups
volume: tablespoon tablespoons tbsp
volume: teaspoon teaspoons tsp
time: second seconds sec secs
time: minute minutes min mins
time: hour hours hr hrs
time: day days
time: week weeks
time: month months
time: year years yr yrs
time: decade decades
time: century centuries
temperature: celsius
temperature: fahrenheit
temperature: degree degrees °
share: % percent
money: $ dollar dollars usd
money: € euro euros eur
money: £ gbp
money: cent cents
data: kb kilobyte kilobytes
data: mb megabyte megabytes
data: gb gigabyte gigabytes
data: tb terabyte terabytes
power: w watt watts
power: kw kilowatt kilowatts
energy: kwh
energy: calorie calories kcal
"""


_DEGREE = "degree"


class Unit(NamedTuple):
    """A unit: what kind of thing it measures, and the first of its spellings."""

    kind: str
    name: str

    def is_same(self, other: "Unit") -> bool:
        """Whether the two may be the same: of two kinds of degrees one may not be told."""
        return self == other or (self.kind == other.kind and _DEGREE in {self.name, other.name})


def _units() -> Iterator[tuple[str, Unit]]:
    for line in filter(None, _SPELLINGS.split("\n")):
        kind, _, text = line.partition(": ")
        spellings = text.split()
        yield from dict.fromkeys(spellings, Unit(kind, spellings[0])).items()
    for name in ("celsius", "fahrenheit"):
        for degrees in ("degree", "degrees", "°"):
            yield f"{degrees} {name}", Unit("temperature", name)
            yield f"{degrees} {name[0]}", Unit("temperature", name)


UNITS = dict(_units())
"""Each unit by its spellings, in lower case."""

CURRENCIES = frozenset("$€£")
"""Signs that stand before their number."""

SCALES = {
    "hundred": 100.0,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
}
"""What a number is multiplied by that stands before one of these words."""
