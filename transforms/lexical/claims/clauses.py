"""Find the statements in a sentence that by itself requires no check."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

from groundwatch.transforms.lexical.language import phrases
from groundwatch.transforms.lexical.language.sentences import COLONS, QUESTION_MARKS
from groundwatch.transforms.lexical.language.words import (
    NEGATION,
    VALUE,
    TokenKind,
    Words,
    form_of,
    read_words,
)
from groundwatch.transforms.lexical.reading.citation_marks import ADDRESS, FILE, PAGE

# In lower case what follows a full stop may be a sentence of its own, and not behind "e.g.".
_STOP = r"(?<=[^\W\d_]{3})\.\s(?=(?-i:[a-z\u00df-\u00ff]))"
_MARK = rf"{_STOP}|[:;]\s|\s[\u2013\u2014-]\s|\u2014|[\uff1a\uff1b]"
_THAT = "|".join(sorted(phrases.words_of("that")))
_JOINING = "|".join(sorted(phrases.words_of("that") | phrases.words_of("joining")))
# Without a comma only in English: "mais" is another word in Portuguese.
_CONTRAST = r"[,.]\s(?=PHRASE)|\s(?=(?:but|however|although|though)\s)"
_BETWEEN_CLAUSES = "contrasts", rf"{_MARK}|{_CONTRAST}"
_BEHIND_ADDRESS = (
    "contrasts",
    rf"{_MARK}|,\s|[\uff0c\u3001]|\s(?:{_THAT})\s|\squ['\u2019]|{_CONTRAST}",
)
_BEGIN = "contrasts", rf"\A\s*(?:(?:PHRASE|(?:{_JOINING})\b),?\s*){{1,2}}"
_TAG = "tags", r"(?:,\s*|\s[\u2013\u2014-]\s*|,?\s*\u00bf\s?)PHRASE$"
_KNOWN = "known", r"\u00bf?\s*PHRASE\s*"
_REPORTING = "reporting", r"\s*PHRASE"
_MOST_PARTS = 6
_MAX_TAG = 40  # characters of what is asked behind a statement
_SENTENCE_ENDS = (".", "!", "\u3002", "\uff01")
_DATE = r"(?:\b\d{1,2}\.?\s)?(?:\b[^\W\d]{3,9}\.?\s(?:\d{1,2},\s)?)?\b(?:19|20)\d\d\b"
_SOURCE = re.compile(rf"{FILE}|{ADDRESS}|{PAGE}|{_DATE}|\A\s*\W?\d{{1,3}}\b", re.IGNORECASE)
_FEWEST_TOKENS = 4
"""Of a heading or a line with a colon that is a sentence."""

_EXCLAIMING = ("!", "\u2026", "...")
_MAX_EXCLAMATION_TOKENS = 8

VERBS = frozenset(map(form_of, phrases.words_of("verbs")))
_CLAUSE = frozenset(map(form_of, phrases.words_of("clause"))) | VERBS
ASKING = frozenset(map(form_of, phrases.words_of("asking")))
_ANNOUNCING = frozenset(map(form_of, phrases.words_of("announcing")))


def is_sentence(words: Words, *, is_colon: bool) -> bool:
    """Return whether a heading, or a line that ends with a colon, states something itself."""
    if not _has_verb(words, _CLAUSE):
        return False
    announces = words.forms[-1] in VERBS or not _ANNOUNCING.isdisjoint(words.forms)
    return not (is_colon and announces)


def _has_verb(words: Words, verbs: frozenset[str]) -> bool:
    """Return whether a line of some words that asks nothing has one of the verbs, or a number."""
    forms = words.forms
    if len(forms) < _FEWEST_TOKENS or forms[0] in ASKING:
        return False
    return TokenKind.NUMBER in words.kinds or not verbs.isdisjoint(forms)


def exclaims(text: str, words: Words) -> bool:
    """Return whether a text states nothing and is short: "Good luck with it!", "Searching…"."""
    is_short = text.endswith(_EXCLAIMING) and len(words.forms) <= _MAX_EXCLAMATION_TOKENS
    is_bare = VERBS.isdisjoint(words.forms) and _CLAUSE.isdisjoint(words.forms[:1])
    return is_short and is_bare and not words.signs & (VALUE | NEGATION)


def states_itself(line: str, *, is_code: bool) -> bool:
    """Return whether a line of a list of sources, or of code, is a sentence of its own.

    It has a verb, or a number other than a year or a page; a line of code also ends as a
    sentence does.
    """
    if is_code:
        return line.endswith(_SENTENCE_ENDS) and is_sentence(read_words(line), is_colon=False)
    return _has_verb(read_words(_SOURCE.sub(" ", line)), VERBS)


def statements_of(sentence: str, *, is_refusal: bool) -> Iterator[str]:
    """Yield the parts of a sentence that may state something.

    Behind an address to the reader that is what follows a mark, "that" or a contrast. A refusal
    lists what is missing: only a contrast or a colon ends it, and the statement may come first. A
    question states what it asks to confirm: "X, right?", "Did you know that X?".
    """
    if sentence.endswith(COLONS):
        return
    if sentence.endswith(QUESTION_MARKS):
        if stated := asserted(sentence):
            yield stated
        return
    mark = _compiled(*(_BETWEEN_CLAUSES if is_refusal else _BEHIND_ADDRESS))
    found = [match.span() for match in islice(mark.finditer(sentence), _MOST_PARTS)]
    for _, behind in found:
        yield _compiled(*_BEGIN).sub("", sentence[behind:], count=1)
    if is_refusal:
        yield from (sentence[:before] for before, _ in reversed(found))


def reports(part: str) -> bool:
    """Return whether a part of a refusal goes on about the source: "but rather describes X"."""
    return _compiled(*_REPORTING).match(part) is not None


def asserted(question: str) -> str | None:
    """Return what a question states and asks to confirm: "X, right?"; None if it only asks."""
    asked = question.rstrip("".join(QUESTION_MARKS)).rstrip()
    if tag := _compiled(*_TAG).search(asked, max(0, len(asked) - _MAX_TAG)):
        return asked[: tag.start()]
    if known := _compiled(*_KNOWN).match(asked):
        return asked[known.end() :]
    return None


@cache
def _compiled(kind: str, expression: str) -> re.Pattern[str]:
    """Compile an expression at its first use, with the phrases of a kind for PHRASE in it."""
    phrase = phrases.expression_of(kind)
    return re.compile(expression.replace("PHRASE", rf"(?:{phrase})"), re.IGNORECASE)
