"""Units of measurement and scales of numbers: their spellings and factors."""

import tomllib
from importlib.resources import files
from typing import NamedTuple


class Unit(NamedTuple):
    """A unit: what it measures, and how many of the dimension's first unit it is."""

    dimension: str
    factor: float


_TABLES: dict[str, dict[str, str]] = tomllib.loads(
    files(__package__).joinpath("units.toml").read_text(encoding="utf-8")
)
SCALES = {
    word: float(value) for value, words in _TABLES.pop("scales").items() for word in words.split()
}
UNITS: dict[str, tuple[Unit, ...]] = {}
"""By each spelling; a cent is a part of several currencies."""
for _dimension, _units in _TABLES.items():
    for _factor, _spellings in _units.items():
        for _spelling in _spellings.split():
            _known = UNITS.get(_spelling, ())
            UNITS[_spelling] = (*_known, Unit(_dimension, float(_factor)))

TIME_UNITS_S = {
    spelling: unit.factor for spelling, (unit, *_) in UNITS.items() if unit.dimension == "time"
}
"""The seconds of each spelling of a unit of time."""

OCTETS = {"Ko": UNITS["kb"], "Mo": UNITS["mb"], "Go": UNITS["gb"], "To": UNITS["tb"]}
"""As French has them; in other spellings these are other words."""

MONEY = frozenset({"dollar", "euro", "sterling", "yen", "yuan", "franc", "krone", "rupee", "zloty"})
"""The dimensions of amounts; a claim in one contradicts an amount in another."""
