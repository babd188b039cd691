"""Read numbers with their units of measurement, or with the things that they count."""

import re
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, compress, count
from typing import NamedTuple, TypeVar

from transforms.contradictions.tokenized_text import (
    CARDINALS,
    MARKS,
    Token,
    TokenizedText,
    form_of,
)
from transforms.rules.cache import WordCache
from transforms.rules.number_forms import grouped_form, join_groups, number_form, separates_groups
from transforms.rules.phrases import NUMBER_WORDS, has_english

# Kinds of units; the first spelling of a unit is its name.
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
money: $ dollar dollars usd, € euro euros eur, £ gbp, cent cents, ¥ \uffe5 円 yen, 元
data: kb kilobyte kilobytes, mb megabyte megabytes, gb gigabyte gigabytes, tb terabyte terabytes
power: w watt watts, kw kilowatt kilowatts
energy: kwh, calorie calories kcal
"""


class Unit(NamedTuple):
    """A unit: its kind, such as length, and its name."""

    kind: str
    name: str

    def may_equal(self, other: "Unit") -> bool:
        """Return whether two units may be the same; "degree" does not say which."""
        return self == other or (self.kind == other.kind and "degree" in {self.name, other.name})


def _units() -> Iterator[tuple[str, Unit]]:
    for line in _SPELLINGS.replace("\n  ", " ").strip().split("\n"):
        kind, _, units = line.partition(": ")
        for spellings in map(str.split, units.split(",")):
            yield from dict.fromkeys(spellings, Unit(kind, spellings[0])).items()
    for name in ("celsius", "fahrenheit"):
        for degrees in ("degree", "degrees", "°"):
            unit = Unit("temperature", name)
            yield from {f"{degrees} {name}": unit, f"{degrees} {name[0]}": unit}.items()


UNITS = dict(_units())  # by each spelling in lower case
_FIRST_OF_UNITS = frozenset(spelling.partition(" ")[0] for spelling in UNITS)
CURRENCIES = frozenset("$€£¥\uffe5")  # signs in front of a number
_SCALES = """
  100: hundred
  1e3: thousand tausend mille mil 千
  1e4: 万 萬
  1e6: million millionen millions millón millones milhão milhões milione milioni
  1e8: 億 亿
  1e9: billion milliarde milliarden milliard milliards miliardo miliardi
  1e12: trillion billionen billones
"""
SCALES = {
    word: float(value)
    for value, _, words in (line.partition(": ") for line in _SCALES.strip().splitlines())
    for word in words.split()
}
_HAN_SCALES = "千万萬億亿"
_MAX_PARTS = 8
_TENS = frozenset(range(20, 100, 10))
# Each number of several words has one of these parts.
_PARTS_OF_SEVERAL = (
    *("hundred", "thousand", "tausend", "milli", "mille", "billi", "trilli", "millo", "mill\u00f3"),
    *("milh", "milio", "miliard", " mil ", *_HAN_SCALES),
    *(word for word, number in NUMBER_WORDS.items() if float(number) in _TENS),
)
_IN_DIGITS = re.compile(r"\d+(?:[.,:/]\d+|['\u2019]\d{3}(?!\d))*")
# The first and the next parts of "1 299,50".
_FIRST_GROUP, _NEXT_GROUP = re.compile(r"[1-9]\d{0,2}"), re.compile(r"\d{3}(?:[.,]\d{1,2})?")
_GROUPS = frozenset(map(float, range(1_000)))
_WORD = re.compile(r"[a-z]+")
_DIGIT = re.compile(r"\d")
# "One" alone is mostly a pronoun, and no number word.
_ONES = {"one": 1.0} | {
    word: float(number) for word, number in NUMBER_WORDS.items() if float(number) in range(1, 10)
}
# A number behind one of these numbers a part of a text: step 4.
_TEXT_PARTS = frozenset(
    {"step", "option", "method", "part", "point", "item", "example", "figure", "table", "page"}
)
_CONJUNCTIONS = frozenset({"and", "or"})
_MAX_NUMBERS = 64  # per sentence; one with more is a table or a list of measurements
_MAX_FURTHER_WORDS = 3  # of one number
_NEAR = 2  # the distance in tokens between a number and what it counts: 3 red lamps


_Value = TypeVar("_Value", bound=float | str | None)


class Quantity(NamedTuple):
    """A number and what it counts; `phrase` is its text with that, in lower case.

    The value of 17:30 is its text. `counted` is a form, such as "lamp", None with a unit.
    """

    text: str
    phrase: str
    value: float | str
    unit: Unit | None
    counted: str | None
    is_in_digits: bool

    def counts_like(self, other: "Quantity") -> bool:
        """Return whether both have the same unit, or count the same thing."""
        if self.unit and other.unit:
            return self.unit.may_equal(other.unit)
        return self.counted is not None and self.counted == other.counted


def may_count(lower: str) -> bool:
    """Return whether a text in lower case may contain a number."""
    return _DIGIT.search(lower) is not None or not CARDINALS.isdisjoint(
        lower.replace("-", " ").split()
    )


def may_count_in_words(lower: str) -> bool:
    """Return whether a text in lower case may contain a number of several words."""
    return any(map(lower.__contains__, _PARTS_OF_SEVERAL))


def number_phrases(lower: str) -> Iterator[str]:
    """Yield each number of a text in lower case with the word behind it."""
    words = lower.split()
    for place in compress(count(), map(_begins_number, words)):
        yield " ".join(words[place : place + 2]).strip(MARKS)


_begins_number = WordCache[bool](
    lambda word: _DIGIT.search(word) is not None or word.strip(MARKS).partition("-")[0] in CARDINALS
).__getitem__


def plain_numbers(lower: str) -> frozenset[float | str]:
    """Return the numbers of a text in lower case that are one word or written in digits."""
    return _numbers_in(lower, _plain_numbers_of)


def _read_plain_numbers(unspaced: str) -> tuple[float | str, ...]:
    words = filter(CARDINALS.__contains__, _WORD.findall(unspaced))
    numbers = (*_IN_DIGITS.findall(unspaced), *words)
    return tuple(chain.from_iterable(map(plain_values, numbers)))


_plain_numbers_of = WordCache(_read_plain_numbers).__getitem__


def plain_value(number: str) -> float | str:
    """Return the value of a number of one word in lower case, or its form if it has no value."""
    form = form_of(number)
    try:
        return float(form)
    except ValueError:
        return form


def plain_values(number: str) -> tuple[float | str, ...]:
    """Return the values that a number of one word may have: 1.299 may also be 1299."""
    if number.isdecimal():
        return (plain_value(number),)
    grouped = grouped_form(number)
    is_grouped = grouped != number_form(number)
    return (plain_value(number), float(grouped)) if is_grouped else (plain_value(number),)


def read_values(text: str) -> frozenset[float | str | None]:
    """Return the values of numbers, and None if a text may have a number of several words."""
    return _numbers_in(text, _values_of)


def _numbers_in(text: str, numbers_of: Callable[[str], tuple[_Value, ...]]) -> frozenset[_Value]:
    numbers = frozenset(chain.from_iterable(map(numbers_of, text.split())))
    if _GROUPS.isdisjoint(numbers) or (joined := join_groups(text)) is text:
        return numbers
    return numbers.union(chain.from_iterable(map(numbers_of, joined.split())))


def _read_values_of_word(unspaced: str) -> tuple[float | str | None, ...]:
    tokens = TokenizedText(unspaced).tokens
    values = [value for token in tokens if token.is_number for value in plain_values(token.lower)]
    is_part = any(token.lower in SCALES for token in tokens) or not _TENS.isdisjoint(values)
    return (*values, None) if is_part else tuple(values)


_values_of = WordCache(_read_values_of_word).__getitem__


def read_quantities(sentence: TokenizedText, used: AbstractSet[int]) -> list[Quantity]:
    """Return the first 64 numbers of a sentence, without "step 1" and the tokens in `used`."""
    quantities: list[Quantity] = []
    tokens = sentence.tokens
    # The last token that is neither a number nor a conjunction: "steps" of steps 1, 2 and 3.
    head = behind = 0
    for place, token in enumerate(tokens):
        if not token.is_number:
            if token.lower not in _CONJUNCTIONS:
                head = place
        elif place >= behind and place not in used:
            quantity, behind = _quantity(sentence, place)
            if not (place and tokens[head].lower.removesuffix("s") in _TEXT_PARTS):
                quantities.append(quantity)
                if len(quantities) == _MAX_NUMBERS:
                    break
    return quantities


def _quantity(sentence: TokenizedText, place: int) -> tuple[Quantity, int]:
    """Read the quantity that begins at a token, and return the place behind it, too."""
    tokens = sentence.tokens
    value, last = _value(sentence, place)
    first, unit = place, None
    if place and tokens[place - 1].text in CURRENCIES:
        first, unit = place - 1, UNITS[tokens[place - 1].text]
    elif found := _unit(sentence, last):
        unit, last = found
    counted = None if unit else _counted(sentence, last)
    return Quantity(
        text=sentence.between(tokens[first], tokens[last]),
        phrase=sentence.between(tokens[first], counted or tokens[last]).lower(),
        value=value,
        unit=unit,
        counted=counted.form if counted else None,
        is_in_digits=tokens[place].text[0].isdigit(),
    ), last + 1


def _value(sentence: TokenizedText, place: int) -> tuple[float | str, int]:
    """Read a number of one or several tokens, and return its last place, too."""
    digits, last = _join_groups(sentence, place)
    tokens, values = sentence.tokens, plain_values(digits)
    value = values[-1 if len(values) > 1 and not has_english(sentence.text) else 0]
    if isinstance(value, str):
        return value, last
    if last + 1 < len(tokens) and tokens[last + 1].text in _HAN_SCALES:
        return _add_parts(tokens, last, value)
    for token in tokens[last + 1 : last + 1 + _MAX_FURTHER_WORDS]:
        word = token.lower
        if word in SCALES:
            value *= SCALES[word]
        elif value in _TENS and word in _ONES:
            value += _ONES[word]
        else:
            break
        last += 1
    return value, last


def _add_parts(tokens: Sequence[Token], place: int, value: float) -> tuple[float, int]:
    """Read 8万5千 and 1億2千万, and return the last place, too."""
    total, part, last = 0.0, value, place
    for token in tokens[place + 1 : place + 1 + _MAX_PARTS]:
        if token.start != tokens[last].end:
            break
        if token.text == "千":
            part *= SCALES[token.text]
        elif token.text in _HAN_SCALES:
            total, part = total + part * SCALES[token.text], 0.0
        elif token.is_number and isinstance(number := plain_value(token.lower), float):
            part += number
        else:
            break
        last += 1
    return total + part, last


def _join_groups(sentence: TokenizedText, place: int) -> tuple[str, int]:
    """Return the digits of "1 299", or a word in lower case, and its last place."""
    tokens = sentence.tokens
    digits, last = tokens[place].lower, place
    is_number = _FIRST_GROUP.fullmatch(digits)
    while is_number and last + 1 < len(tokens) and digits[-3:].isdigit():
        group = tokens[last + 1]
        gap = sentence.text[tokens[last].end : group.start]
        if not (_NEXT_GROUP.fullmatch(group.text) and separates_groups(gap, sentence.text)):
            break
        digits, last = digits + group.text, last + 1
    return digits, last


def _unit(sentence: TokenizedText, place: int) -> tuple[Unit, int] | None:
    """Find the unit behind a number, the longer one first, and return its last place, too."""
    tokens = sentence.tokens
    if place + 1 >= len(tokens) or tokens[place + 1].lower not in _FIRST_OF_UNITS:
        return None
    for behind in (place + 2, place + 1):
        if behind >= len(tokens) or sentence.breaks_between(tokens[place], tokens[behind]):
            continue
        words = [token.lower for token in tokens[place + 1 : behind + 1]]
        # A single letter is a unit only directly behind its number: 5m.
        is_loose = len(words[0]) == 1 and tokens[place + 1].start > tokens[place].end + 1
        if (unit := UNITS.get(" ".join(words))) and not (is_loose and words[0].isalpha()):
            return unit, behind
    return None


def _counted(sentence: TokenizedText, place: int) -> Token | None:
    tokens = sentence.tokens
    for token in tokens[place + 1 : place + 1 + _NEAR]:
        if sentence.breaks_between(tokens[place], token) or token.is_number:
            return None
        if token.is_content:
            return token
    return None
