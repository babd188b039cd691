"""Read a user's question as the statement that a short answer to it makes."""

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from groundwatch.schemas import Record
from groundwatch.transforms.lexical.facts.fact_sentences import stems_of
from groundwatch.transforms.lexical.language import phrases
from groundwatch.transforms.lexical.language.negations import negations_in
from groundwatch.transforms.lexical.language.sentences import QUESTION_MARKS, locate_sentences
from groundwatch.transforms.lexical.language.words import Token, form_of, read_tokens, read_words
from groundwatch.transforms.lexical.reading.same_text import in_one_spelling
from .clauses import ASKING, VERBS, asserted

_MAX_CHARS = 1_000
"""Of a question; a longer one is rarely answered in a word."""

_MAX_BEFORE = 100
"""Characters in which it is said that a question follows: "Hi, can you tell me whether"."""

_MAX_CONTENT = 20
_AROUND = " \t*_\"'\u201c\u201d\u00a1\u00bf"
_FIRST_TOKENS = 2
"""One of so many first tokens asks: "When", "Until when"."""

_MEASURES = frozenset(map(form_of, phrases.words_of("measures")))
_FIRST_VERBS = VERBS - {"a", "es"}
"""Verbs with which a question begins; the others also are an article and a pronoun."""

BEGIN_TO_ASK = _FIRST_VERBS | ASKING
"""The forms of the words with which a question begins."""


class Question(Record, frozen=True, kw_only=True):
    """What a user asks.

    Attributes:
      text: as it was asked.
      statement: what a question that yes or no answers asks to confirm; of another question, its
        words without those that ask.
      stems: those of the statement's content tokens.
      is_polar: whether yes or no answers it.
      is_marked: whether it is a question by its form; if not, only a plain yes or no answers it.
    """

    text: str
    statement: str
    stems: frozenset[str]
    is_polar: bool
    is_marked: bool


@lru_cache(maxsize=64)
def read_question(query: str) -> Question | None:
    """Read the one question in what a user wrote; None if there is none, or several.

    Several questions leave open which of them a word answers. Also None for a request, such as
    "Can you help me?", and a question that denies something.

    >>> read_question("How long is the warranty?").statement
    'is the warranty'
    """
    text = _only_question(_end_of(query))
    if text is None:
        return None
    stated = asserted(text)
    bare = (stated or text).strip(_AROUND).rstrip("".join(QUESTION_MARKS))
    bare = phrases.without_leads(bare).strip(_AROUND)
    opening = _asked_for().search(bare, 0, _MAX_BEFORE)
    bare = bare[opening.end() :] if opening else bare
    if not (stated or opening):
        before, _, last = bare.rpartition(", ")
        bare = last if before and begins_to_ask(last) else bare
    tokens = read_tokens(bare)
    if not tokens:
        return None
    is_polar = bool(stated or (opening and opening["whether"])) or not _asks(tokens)
    if opening and is_polar and not opening["whether"]:
        return None
    words = tokens if is_polar else _without_asking(tokens)
    statement = " ".join([bare[token.start : token.end] for token in words])
    stems = stems_of(statement)
    if _denies(statement) or not 0 < len(stems) <= _MAX_CONTENT:
        return None
    is_marked = bool(opening or text.endswith(QUESTION_MARKS) or not is_polar)
    return Question(
        text=text,
        statement=statement,
        stems=stems,
        is_polar=is_polar,
        is_marked=is_marked or tokens[0].form in _FIRST_VERBS,
    )


@lru_cache(maxsize=64)
def stems_of_query(query: str) -> frozenset[str]:
    """Return the stems of what a user wrote: a question in it has no others."""
    return stems_of(_end_of(query))


def _end_of(query: str) -> str:
    return in_one_spelling(query)[-_MAX_CHARS:]


@lru_cache(maxsize=64)
def sentences_of_query(text: str) -> list[str]:
    """Split what a user wrote, in one spelling, into sentences."""
    return [sentence for _, sentence in locate_sentences(text)]


def _only_question(text: str) -> str | None:
    sentences = sentences_of_query(text)
    found = [each for each in sentences if each.endswith(QUESTION_MARKS)]
    found = found or [each for each in sentences if _asked_for().search(each, 0, _MAX_BEFORE)]
    found = found or [each for each in sentences if begins_to_ask(each)] or sentences
    return found[0] if len(found) == 1 else None


def begins_to_ask(sentence: str) -> bool:
    """Return whether a sentence begins as a question does."""
    return not BEGIN_TO_ASK.isdisjoint(read_words(sentence).forms[:1])


def _asks(tokens: Sequence[Token]) -> bool:
    """Return whether one of the first tokens asks; "hay que", "il y a que" do not."""
    first = tokens[:1] if tokens[0].form in VERBS else tokens[:_FIRST_TOKENS]
    return any(token.form in ASKING for token in first)


def _denies(text: str) -> bool:
    return bool(negations_in(text, read_tokens(text)))


def _without_asking(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens without those that ask: "how long"."""
    place = next(place for place, token in enumerate(tokens) if token.form in ASKING)
    behind = place + 1
    for number in range(behind, min(behind + _FIRST_TOKENS, len(tokens))):
        behind = number + 1 if tokens[number].form in _MEASURES else behind
    return [*tokens[:place], *tokens[behind:]]


@cache
def _asked_for() -> re.Pattern[str]:
    asked_for, whether = map(phrases.expression_of, ("asked_for", "whether"))
    return re.compile(rf"(?:{asked_for})[,:]?\s*(?P<whether>(?:{whether})\s*)?", re.IGNORECASE)
