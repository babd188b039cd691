"""Remove the clause in which a speaker or a source says what follows: "I can confirm that".

It has only words of framing, one of which reports, and ends with "that" or a mark, or with "says".
"""

from itertools import pairwise

from groundwatch.transforms.lexical.language import phrases
from groundwatch.transforms.lexical.language.negations import NEGATING

_FIRST = phrases.words_of("frame_first")
_SAYS = phrases.words_of("frame_says")
_THAT = phrases.words_of("that")
_BEFORE_STATEMENT = _THAT | phrases.words_of("joining")
_WORDS = _FIRST | _SAYS | _THAT | phrases.words_of("frame_words")
_WITHOUT_THAT = frozenset({"says", "states", "say", "state"})
"""Verbs of a source that a statement follows directly; "the guide says nothing" is none."""

_NOT_STATED = NEGATING | _THAT
_MARKS, _DASHES = ",:;", frozenset({"", "-", "\u2013", "\u2014"})
_AROUND = "*_\"'(["
_MAX_WORDS = 16
_YEAR_DIGITS = 4


def without_frame(text: str) -> str:
    """Return a sentence without the clause in front that only says who says it.

    >>> without_frame("Based on the document, lamps glow.")
    'lamps glow.'
    """
    begun = text.lstrip(_AROUND)
    if _spelled(begun.partition(" ")[0]).rstrip(_MARKS) not in _FIRST:
        return text
    behind, reports = 0, False
    pieces = begun.split(" ", _MAX_WORDS)
    for piece, following in pairwise(pieces):
        spelled = _spelled(piece)
        word = spelled.rstrip(_MARKS)
        if reports and spelled.startswith("qu'"):
            return begun[behind + len("qu'") :]
        behind += len(piece) + 1
        if word not in _WORDS and word not in _DASHES and not _is_number(word):
            return text
        reports = reports or word in _SAYS
        is_mark = word != spelled or word in _DASHES or word in _THAT
        next_word = _spelled(following)
        if is_mark and reports and not (_is_number(word) and following[:1].isdigit()):
            return begun[behind + (len(following) + 1) * (next_word in _BEFORE_STATEMENT) :]
        if word in _WITHOUT_THAT and next_word not in _NOT_STATED:
            return begun[behind:]
    return text


def _is_number(word: str) -> bool:
    """Return whether a word is the number of a source or a section, and no year."""
    return word.replace(".", "").isdigit() and len(word) < _YEAR_DIGITS


def _spelled(word: str) -> str:
    lower = word.lower()
    return lower if lower.isascii() else lower.replace("\u2019", "'")
