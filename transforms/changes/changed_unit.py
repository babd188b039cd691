"""Change the unit of a number that a statement gives."""

import re
from collections.abc import Iterator

from groundwatch.transforms.changes.changed_values import Edit, apply_one, limits
from groundwatch.transforms.changes.statement import Statement
from groundwatch.transforms.lexical.value import NUMBER, Value
from groundwatch.transforms.lexical.values import read_values

_ENGLISH = """
    seconds minutes hours days weeks months years
    second minute hour day week month year
    millimetres centimetres metres kilometres
    millimeters centimeters meters kilometers
    inches feet yards miles
    inch foot yard mile
    milligrams grams kilograms
    pounds ounces
    millilitres litres
    milliliters liters
    teaspoons tablespoons cups
    teaspoon tablespoon cup
    kilobytes megabytes gigabytes terabytes
    watts kilowatts
    dollars euros
    Celsius Fahrenheit
"""
_ANY_LANGUAGE = """
    mm cm m km
    mg g kg
    ml l
    KB MB GB TB
    W kW
    °C °F
    mph km/h
    $ € £
    USD EUR GBP CHF
    Sekunden Minuten Stunden Wochen
    Tage Monate Jahre
    Tagen Monaten Jahren
    secondes minutes heures jours semaines mois ans
    segundos minutos horas semanas meses
    secondi minuti ore giorni settimane mesi anni
    dagen weken maanden
    小时 天 周
    週間 時間 日間
"""
"""Units that can stand in each other's place, a line each, in the same form of the word.

The next smaller or larger one is taken: "within 14 seconds" would be no likely mistake.
"""

_MONEY = frozenset("$ € £ USD EUR GBP CHF".split())  # noqa: SIM905


def _table(lines: str) -> dict[str, tuple[str, ...]]:
    rows = (line.split() for line in lines.strip().splitlines())
    return {unit: tuple(row) for row in rows for unit in row}


IN_ENGLISH, IN_ANY_LANGUAGE = _table(_ENGLISH), _table(_ANY_LANGUAGE)
_LAST_WORD = re.compile(r"\S+$")
_NUMBER_AND_UNIT = re.compile(r"[\d.,'\u2019 ]*\d")


def change_unit(statement: Statement) -> str | None:
    """Put another unit of the same kind behind a number, or another sign of money before it.

    The fact has nowhere the same number with the new unit. None without such a unit.
    """
    values = (each for each in read_values(statement.text) if each.kind == NUMBER and each.units)
    return apply_one(statement, (edit for value in values for edit in _units(value, statement)))


def _units(value: Value, statement: Statement) -> Iterator[Edit]:
    text = statement.text
    spelled = text[value.start : value.end]
    is_digits = _NUMBER_AND_UNIT.search(spelled) is not None
    if value.is_implied or not is_digits or limits(text, value.start, value.end):
        return
    if spelled[0] in IN_ANY_LANGUAGE:
        span = (value.start, value.start + 1)
    elif last := _LAST_WORD.search(
        re.sub(r"^[\d.,'\u2019-]+", lambda own: " " * len(own[0]), spelled)
    ):
        span = (value.start + last.start(), value.end)
    else:
        return
    unit = text[slice(*span)]
    row = IN_ENGLISH.get(unit) if statement.is_english else None
    row = row or IN_ANY_LANGUAGE.get(unit, ())
    place = row.index(unit) if row else 0
    near = row if unit in _MONEY else row[max(0, place - 1) : place + 2]
    options = tuple(each for each in near if each != unit and not _is_known(each, value, statement))
    yield Edit(*span, options)


def _is_known(unit: str, value: Value, statement: Statement) -> bool:
    """Return whether the fact may have the value with another unit, or gives prices in both."""
    if unit in "$€£":
        return unit in statement.source.text
    number = _NUMBER_AND_UNIT.search(statement.text[value.start : value.end])
    if number is None:
        return unit in statement.source.text
    same = rf"{re.escape(number[0].strip())}[\s-]*{re.escape(unit)}(?!\w)"
    return re.search(same, statement.source.text, re.IGNORECASE) is not None
