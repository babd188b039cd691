"""Detect quickly, word by word, what a text may contain."""

from schemas import Record
from transforms.contradictions.dates import names_month
from transforms.contradictions.names import name_at_start
from transforms.contradictions.negation import has_negation
from transforms.contradictions.numbers import may_count
from transforms.rules.cache import WordCache
from transforms.rules.english import may_name_source, may_refuse

NUMBER, MONTH, NEGATION, CAPITAL, SOURCE, REFUSAL = 1, 2, 4, 8, 16, 32
"""One bit for each kind of content."""


class Features(Record, frozen=True):
    """What a text may contain; nothing is missed.

    Attributes:
      kinds: the bits of the kinds of content.
      capitals: the words that may be names in lower case, with empty ones among them.
    """

    kinds: int
    capitals: list[str]


def read_features(text: str) -> Features:
    """Return what a text may contain."""
    kinds, capitals = 0, []
    for its_kinds, capital in map(features_of_word, text.split()):
        kinds |= its_kinds
        capitals.append(capital)
    return Features(kinds, without_first(text, capitals))


def without_first(text: str, capitals: list[str]) -> list[str]:
    """Drop the capital at the start of a text, which does not mark a name.

    Args:
      text: the text.
      capitals: those of its words, in order.
    """
    return capitals[1:] if name_at_start(text) else capitals


def _read_word(word: str) -> tuple[int, str]:
    lower, name = word.lower(), name_at_start(word)
    kinds = (
        NUMBER * may_count(lower)
        | MONTH * names_month(word)
        | NEGATION * has_negation(lower)
        | CAPITAL * bool(name)
        | SOURCE * may_name_source(word)
        | REFUSAL * may_refuse(word)
    )
    return kinds, name.lower()


features_of_word = WordCache(_read_word).__getitem__
"""Return the bits of a word without white space, and the name in it in lower case, if any."""
