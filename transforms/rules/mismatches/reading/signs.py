"""What the words of a text could hold, told from each word by itself."""

from functools import reduce
from operator import or_

from transforms.rules.memory import Memory
from transforms.rules.mismatches.reading.dates import names_month
from transforms.rules.mismatches.reading.denials import denies_anything
from transforms.rules.mismatches.reading.names import begins_like_name
from transforms.rules.mismatches.reading.quantities import may_count

NUMBER, MONTH, DENIAL, CAPITAL = 1, 2, 4, 8
"""One bit for each kind of thing that a claim may say otherwise than its facts."""


def read_signs(text: str) -> int:
    """Find what a text could hold; no kind is missed, and reading the text takes longer.

    Returns:
      The bits of the kinds.
    """
    return reduce(or_, set(map(_signs_of, text.split())), 0)


def _read_signs(word: str) -> int:
    lower = word.lower()
    return (
        NUMBER * may_count(lower)
        | MONTH * names_month(word)
        | DENIAL * denies_anything(lower)
        | CAPITAL * begins_like_name(word)
    )


_signs_of = Memory(_read_signs).__getitem__
