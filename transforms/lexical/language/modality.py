"""Read whether a sentence says that something is possible, required, or left open.

A statement and its denial mostly say it in other words: "can be returned", "are not accepted".
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise, product

from .negations import OFF, UNIVERSAL, Word, may_negate
from .phrases import words_of

_REQUIRED, _POSSIBLE = words_of("required"), words_of("possible")
_OBLIGING, CHOOSING = words_of("obliging") | _REQUIRED, words_of("choosing")
"""Words that say that something is required, and that it is possible: "you can"."""

_HAVE_TO = frozenset(product(("have", "has", "had"), ("to",))) | frozenset(
    product(("tiene", "tienes", "tienen"), ("que",))
)

STATING = OFF | _REQUIRED | _POSSIBLE
"""Words that say that something is possible or required, or not."""

NEUTRAL = UNIVERSAL | STATING | frozenset("是为為有能可以的了在于於由会會约約")
"""Words of what is possible or required, and of whom, by which equal statements differ; the others
are function words in Chinese."""

_SAYING_SO, _SAYING_HOW = _POSSIBLE | CHOOSING, STATING | UNIVERSAL | CHOOSING
MODAL_VERBS = (_OBLIGING | CHOOSING) - NEUTRAL
"""What follows one of these is what is possible or required."""

LIGHT = (
    NEUTRAL
    | _OBLIGING
    | CHOOSING
    | frozenset(["have", "has", "had", "to", "be", "been", "am", "is", "are", "was", "were", "que"])
    | frozenset(
        ["ist", "sind", "wird", "werden", "ne", "est", "sont", "es", "son", "está", "están"]
    )
    | frozenset(["è", "sono", "é", "são"])
)
"""Words between a negation and what it denies: "is not possible to"."""


def is_light(word: Word) -> bool:
    """Return whether a word negates, or stands between a negation and what it denies."""
    return word.lower in LIGHT or may_negate(word.lower)


def obliges(words: Sequence[Word]) -> bool:
    """Return whether words say that something is required: "you must", "is necessary"."""
    return has_word(words, _OBLIGING) or _has_to(words)


def may_be_waived(words: Sequence[Word]) -> bool:
    """Return whether words say that something is required, so that their denial leaves it open.

    "You must not" does not: that forbids it.
    """
    return has_word(words, _REQUIRED) or _has_to(words)


def _has_to(words: Sequence[Word]) -> bool:
    return any((one.lower, two.lower) in _HAVE_TO for one, two in pairwise(words))


def has_word(words: Iterable[Word], among: frozenset[str]) -> bool:
    """Return whether some words are among others."""
    return any(word.lower in among for word in words)


def says_so(words: Sequence[Word]) -> bool:
    """Return whether words say that something is possible or required, and nothing against it."""
    return has_word(words, _SAYING_SO) or obliges(words)


def is_about_modality(words: Sequence[Word]) -> bool:
    """Return whether words say that something is possible or required."""
    return has_word(words, _SAYING_HOW) or obliges(words)
