"""What a text could hold, told from each of its words by itself."""

from schemas import Record
from transforms.contradictions.dates import names_month
from transforms.contradictions.names import name_at_start
from transforms.contradictions.negation import denies_anything
from transforms.contradictions.quantities import may_count
from transforms.rules.cache import WordCache
from transforms.rules.english import may_name_source, may_refuse

NUMBER, MONTH, DENIAL, CAPITAL, SOURCE, REFUSAL = 1, 2, 4, 8, 16, 32
"""One bit for each kind of thing that is looked for: what a claim may say otherwise than its
facts, and what is about the sources."""


class Signs(Record, frozen=True):
    """What a text could hold; nothing is missed, and reading the text takes longer.

    Attributes:
      kinds: the bits of the kinds of things.
      capitals: all words that could be names, in lower case, with empty ones among them.
    """

    kinds: int
    capitals: list[str]


def read_signs(text: str) -> Signs:
    """Find what a text could hold."""
    kinds, capitals = 0, []
    for its_kinds, capital in map(signs_of_word, text.split()):
        kinds |= its_kinds
        capitals.append(capital)
    return Signs(kinds, behind_first(text, capitals))


def behind_first(text: str, capitals: list[str]) -> list[str]:
    """Leave out the capital that a text begins with: a name has white space before it.

    Args:
      text: the text.
      capitals: of its words, that of a first one with a capital first.
    """
    return capitals[1:] if name_at_start(text) else capitals


def _read_word(word: str) -> tuple[int, str]:
    lower, name = word.lower(), name_at_start(word)
    kinds = (
        NUMBER * may_count(lower)
        | MONTH * names_month(word)
        | DENIAL * denies_anything(lower)
        | CAPITAL * bool(name)
        | SOURCE * may_name_source(word)
        | REFUSAL * may_refuse(word)
    )
    return kinds, name.lower()


signs_of_word = WordCache(_read_word).__getitem__
"""The bits and the name in lower case, which may be empty, of what stands between white space."""
