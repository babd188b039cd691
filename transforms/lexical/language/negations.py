"""Find what negates a statement, in English and seven other languages."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import zip_longest
from typing import Protocol

from .phrases import OTHER_DENIALS, has_english, words_of

NEGATING = OTHER_DENIALS | frozenset(
    """
    not never cannot no non none without nobody nothing nowhere unable failed fails fail lacks lack
    excluded excludes exclude excluding refused refuses refuse prohibited forbidden impossible
    """.split()  # noqa: SIM905 - a table of words reads best as text
)
"""Words that negate a statement; "no" and "non" may say something else in some languages."""

CONTRACTED = frozenset(
    f"{verb}n't"
    for verb in "were would could must need has have had ai might sha dare ought".split()  # noqa: SIM905
)
"""Those of contractions with "not" that are no function words."""

NEGATING_IN_CJK = frozenset("不没沒未无無非禁止않없못")
"""Characters that negate, by themselves or in a word."""

_PORTUGUESE = frozenset(
    {"o", "os", "do", "da", "dos", "das", "um", "uma", "em", "ao", "são", "é", "há", "na", "ou"}
    | {"com", "não", "pra", "vc", "vcs"}
)
"""Beside one of these, or of a letter with a tilde, "no" is "in the"."""

QUALIFIERS = frozenset(
    """
    if unless whether only just all every always necessarily except until though although but
    wenn falls nur immer sofern si seulement tous toujours sauf solo sólo todos siempre salvo
    se apenas só sempre tutti soltanto als alleen altijd tenzij
    """.split()  # noqa: SIM905 - a table of words reads best as text
)
"""Words that change what a negation denies: not only, if not."""

EXCLUSIVE = words_of("exclusive")
"""Words that say that a statement is so of nobody else."""

OPTIONAL = words_of("optional")
OFF = OPTIONAL | words_of("off")
"""Predicates that deny what another statement says to be possible or required."""

_RESTRICTING = EXCLUSIVE | OFF

UNIVERSAL = words_of("universal") | {"always", "immer", "toujours", "siempre", "sempre", "altijd"}
"""Those of words that say that a statement is so of all, or always."""

_DENIABLE = ("able", "ible", "ed", "ing")
"""Endings of words behind "non-" that deny a statement; others name another thing."""

JOINED = frozenset("neither nor weder ni né nem noch".split())  # noqa: SIM905 - as above
"""Words that join what is negated to what stands before: "neither A nor B"."""

_PAIRED = frozenset(["plus", "neither", "weder", "ni", "né", "nem"])
_PAIR = re.compile(
    r"\b[Nn](?:e\s|['\u2019])(?:\S{1,30}\s){1,4}?(plus|ni)\b"
    r"|\b([Nn]either|[Ww]eder|(?:\A|\b(?=(ni|né|nem)\s.{1,80}?\s\3\s))(?:[Nn]i|[Nn]é|[Nn]em))\b"
)
"""Words that negate unless one before them does: "ne ... plus", "neither", "ni ... ni"."""

_LIMIT = re.compile(
    r"\s(?:more|less|fewer|later|earlier|sooner|longer|mehr|weniger|später|länger|plus|moins|más|menos"
    r"|mais|più|meno|meer|minder|langer)\s(?:than|als|dan|de|di|que|d['\u2019])\b"
)
"""Behind a word that negates, that says how much it is at most or at least."""

_ANSWER = re.compile(r"\W*(?:no|non|não)(?:,|\s(?=(?:i|he|she|we|they|you|it)\b))", re.IGNORECASE)
"""A "no" at the beginning that answers a question, and negates nothing behind it."""

_LONGER = " longer"
"""Behind "no", that is a part of the negation."""

MARKS = " .,;:!?()[]*_'\"\u201c\u201d"
"""What may stand around a word."""

_CJK = re.compile(
    "ません|(?<!少)ない|なかった|ではなく|ず(?=、|に)|不(?![同断斷仅僅少过過久锈])|[没沒](?!问题)有?|未(?![来來使])|[无無]法|并非|禁止|않|없|못"
)
_FIRST_CJK = "\u3041"


def may_deny(word: str) -> bool:
    """Return whether a word in lower case, without marks, may negate or restrict a statement."""
    return word in _RESTRICTING or word in _PAIRED or may_negate(word)


def may_negate(word: str) -> bool:
    """Return whether a word, in lower case and without marks, may negate a statement."""
    if word in NEGATING:
        return True
    if word.isascii() and word.isalpha():
        return False
    if word.endswith(("n't", "n\u2019t")):
        return True
    if word.startswith("non-") and word.endswith(_DENIABLE):
        return True
    return not word.isascii() and _CJK.search(word) is not None


def negating_words(text: str) -> list[str]:
    """Return the words of a text that may negate or restrict it, sorted."""
    return sorted(filter(may_deny, [word.strip(MARKS) for word in text.lower().split()]))


class Word(Protocol):
    """A word of a text, in lower case, and its place there in characters."""

    @property
    def lower(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


def _names_another(word: Word, after: Word | None, text: str) -> bool:
    """Return whether "non-" stands before a word for another thing: "non-profit"."""
    if word.lower != "non" or after is None or text[word.end : after.start] != "-":
        return False
    return not after.lower.endswith(_DENIABLE)


def _pairs_in(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the words that negate where no other negation stands before them."""
    found: list[tuple[int, int]] = []
    for pair in _PAIR.finditer(text):
        start, span = (pair.start(), pair.span(1)) if pair[1] else (0, pair.span(2))
        place = bisect_left(spans, (start,))
        others = *spans[place : place + 1], *found[-1:]
        if not any(start <= other < span[0] for other, _ in others):
            found.append(span)
    return found


def negations_in(text: str, words: Sequence[Word]) -> list[tuple[int, int]]:
    """Return where a text, given with its words, negates something.

    "No" in a Portuguese text is no negation.
    """
    spans = [
        (word.start, word.end + len(_LONGER) * text.startswith(_LONGER, word.end))
        for word, after in zip_longest(words, words[1:])
        if may_negate(word.lower)
        and not _names_another(word, after, text)
        and not _LIMIT.match(text, word.end)
    ]
    if any(word.lower in _PAIRED for word in words):
        spans = sorted([*spans, *_pairs_in(text, spans)])
    if spans and (answer := _ANSWER.match(text)):
        spans = [span for span in spans if span[0] >= answer.end()]
    if any(word.lower == "no" for word in words):
        spelled = {word.lower for word in words}
        is_portuguese = not _PORTUGUESE.isdisjoint(spelled) or "\u00e3" in text or "\u00f5" in text
        if is_portuguese and not has_english(text):
            spans = [span for span in spans if text[slice(*span)].lower() != "no"]
    if max(text, default="") >= _FIRST_CJK:
        found = [each.span() for each in _CJK.finditer(text)]
        spans = sorted({*spans, *found}) if found else spans
    return spans
