"""Numbers, with what they count."""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import zip_longest
from typing import NamedTuple

from transforms.contradictions.statement import Statement, Token, form_of
from transforms.contradictions.units import CURRENCIES, SCALES, UNITS, Unit
from transforms.rules.cache import WordCache
from transforms.rules.english import NUMBER_WORDS

_CARDINALS = NUMBER_WORDS.keys() - {
    "half",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "twice",
}
_TENS = frozenset(range(20, 100, 10))
_IN_WORDS = (*SCALES, *(word for word, number in NUMBER_WORDS.items() if float(number) in _TENS))
_IN_DIGITS = re.compile(r"\d+(?:[.,:/]\d+)*")
_WORD = re.compile(r"[a-z]+")
_MARKS = " .,;:!?()[]*'\"\u201c\u201d"
_DIGITS = frozenset(range(1, 10))

_COUNTED_PARTS = frozenset(
    {"step", "option", "method", "part", "point", "item", "example", "figure", "table", "page"}
)
"""A number behind one of these counts the parts of a text: step 4."""

_JOINING = frozenset({"and", "or"})

_DIGIT = re.compile(r"\d")

_MOST_NUMBERS = 64
"""Of one sentence; one with more is a table or a list of measurements."""

_MOST_WORDS = 3
"""Behind a number: no more of them make one number."""

_NEAR = 2
"""So many tokens behind a number what it counts is looked for: 3 red lamps."""


class Quantity(NamedTuple):
    """A number and what it counts.

    Attributes:
      text: as it is written, with its unit.
      phrase: the same with what it counts, in lower case.
      value: the number, or its text where it is none, such as 17:30.
      unit: its unit of measure, None without.
      counted: the form of what it counts where it has no unit, such as "lamps"; None if unknown.
      is_in_digits: whether it is written in digits.
    """

    text: str
    phrase: str
    value: float | str
    unit: Unit | None
    counted: str | None
    is_in_digits: bool

    def counts_like(self, other: "Quantity") -> bool:
        """Whether both have the same unit, or count the same thing."""
        if self.unit and other.unit:
            return self.unit.is_same(other.unit)
        return self.counted is not None and self.counted == other.counted

    @property
    def is_bare(self) -> bool:
        """Whether it is not known what it counts."""
        return self.unit is None and self.counted is None


def may_count(lower: str) -> bool:
    """Tell whether a text, in lower case, could hold a number."""
    return _DIGIT.search(lower) is not None or not _CARDINALS.isdisjoint(
        lower.replace("-", " ").split()
    )


def number_phrases(lower: str) -> Iterator[str]:
    """Find each number of a text, in lower case, with the word behind it."""
    words = lower.split()
    for word, behind in zip_longest(words, words[1:], fillvalue=""):
        if _remembered_number(word):
            yield f"{word} {behind}".strip(_MARKS)


def _begins_number(word: str) -> bool:
    return _DIGIT.search(word) is not None or word.partition("-")[0] in _CARDINALS


_remembered_number = WordCache(_begins_number).__getitem__


def may_count_in_words(lower: str) -> bool:
    """Tell whether a text, in lower case, could hold a number of several words."""
    return any(map(lower.__contains__, _IN_WORDS))


def plain_numbers(lower: str) -> frozenset[float | str]:
    """Find all numbers of a text, in lower case, that are a single word or written in digits."""
    words = _CARDINALS.intersection(_WORD.findall(lower))
    return frozenset(map(plain_value, (*_IN_DIGITS.findall(lower), *words)))


def plain_value(number: str) -> float | str:
    """Return the value of a number of one word, in lower case, or its form if it is none."""
    form = form_of(number)
    try:
        return float(form)
    except ValueError:
        return form


def read_quantities(statement: Statement, used: AbstractSet[int]) -> list[Quantity]:
    """Find the first 64 numbers of a statement.

    Args:
      statement: the statement.
      used: indices of tokens that are something else, such as a date.

    Returns:
      The numbers in order; none that names a part of a text, such as step 4, options 1 and 2.
    """
    quantities: list[Quantity] = []
    tokens = statement.tokens
    # The last token that is neither a number nor joins numbers: "steps" of steps 1, 2 and 3.
    head = behind = 0
    for place, token in enumerate(tokens):
        if not _is_number(token):
            if token.word.lower not in _JOINING:
                head = place
        elif place >= behind and place not in used:
            quantity, behind = _quantity(statement, place)
            if not (place and tokens[head].word.lower.removesuffix("s") in _COUNTED_PARTS):
                quantities.append(quantity)
                if len(quantities) == _MOST_NUMBERS:
                    break
    return quantities


def _is_number(token: Token) -> bool:
    if token.text[0].isdigit():
        return True
    return token.word.lower in _CARDINALS


def _quantity(statement: Statement, place: int) -> tuple[Quantity, int]:
    """Read the quantity that begins at a token; returns the place behind it, too."""
    tokens = statement.tokens
    value, last = _value(tokens, place)
    first, unit = place, None
    if place and tokens[place - 1].text in CURRENCIES:
        first, unit = place - 1, UNITS[tokens[place - 1].text]
    elif found := _unit(statement, last):
        unit, last = found
    counted = None if unit else _counted(statement, last)
    return Quantity(
        text=statement.between(tokens[first], tokens[last]),
        phrase=statement.between(tokens[first], counted or tokens[last]).lower(),
        value=value,
        unit=unit,
        counted=counted.form if counted else None,
        is_in_digits=tokens[place].text[0].isdigit(),
    ), last + 1


def _value(tokens: Sequence[Token], place: int) -> tuple[float | str, int]:
    """Read a number over its tokens; returns its last place, too."""
    value, last = plain_value(tokens[place].text), place
    if isinstance(value, str):
        return value, last
    for token in tokens[place + 1 : place + 1 + _MOST_WORDS]:
        word = token.word.lower
        if word in SCALES:
            value *= SCALES[word]
        elif value in _TENS and float(NUMBER_WORDS.get(word, 0)) in _DIGITS:
            value += float(NUMBER_WORDS[word])
        else:
            break
        last += 1
    return value, last


def _unit(statement: Statement, place: int) -> tuple[Unit, int] | None:
    """Find the unit behind a number, the longer one first; returns its last place, too."""
    tokens = statement.tokens
    for behind in (place + 2, place + 1):
        if behind >= len(tokens) or statement.breaks_between(tokens[place], tokens[behind]):
            continue
        words = [token.word.lower for token in tokens[place + 1 : behind + 1]]
        # A letter is a unit only where it stands at its number: 5m.
        is_loose = len(words[0]) == 1 and tokens[place + 1].start > tokens[place].end + 1
        if (unit := UNITS.get(" ".join(words))) and not (is_loose and words[0].isalpha()):
            return unit, behind
    return None


def _counted(statement: Statement, place: int) -> Token | None:
    tokens = statement.tokens
    for token in tokens[place + 1 : place + 1 + _NEAR]:
        if statement.breaks_between(tokens[place], token) or _is_number(token):
            return None
        if token.word.is_content:
            return token
    return None
