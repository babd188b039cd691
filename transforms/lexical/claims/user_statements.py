"""Recognize sentences of an answer that only repeat what the user said."""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from groundwatch.transforms.lexical.facts.fact_sentences import is_among, stem_of, stems_of
from groundwatch.transforms.lexical.language import phrases
from groundwatch.transforms.lexical.language.negations import negations_in
from groundwatch.transforms.lexical.language.sentences import QUESTION_MARKS, locate_sentences
from groundwatch.transforms.lexical.language.words import read_tokens, read_words, word_from
from groundwatch.transforms.lexical.reading.same_text import in_one_spelling
from .questions import begins_to_ask

_MAX_CHARS = 10_000


def repeats_user(statement: str, query: str) -> bool:
    """Return whether a statement says that the user said, or asked, what is in the query.

    The statement is in one spelling, without leads. It begins so, "You mentioned that", and what
    follows has no content that the query does not have, and denies what the query denies. What it
    adds, behind "so" or otherwise, makes it a claim. What the user asked is nothing that he said.
    Or it is a question of the query, without its mark or with a label, "Q: How long do refunds
    take".

    >>> repeats_user("You asked about lamps.", "Tell me about lamps")
    True
    """
    begun = _begins().match(statement) if phrases.may_repeat(statement) else None
    if not begun:
        forms = read_words(statement).forms
        asked = [each.asked for each in _sentences(query[:_MAX_CHARS]) if each.asked]
        return any(each in (forms, forms[1:]) for each in asked)
    rest = statement[begun.end() :]
    content = stems_of(rest)
    sentences = _sentences(query[:_MAX_CHARS])
    if begun["said"]:
        sentences = [each for each in sentences if not each.text.endswith(QUESTION_MARKS)]
    known = frozenset[str]().union(*[each.stems for each in sentences])
    if not all(is_among(each, known) for each in content):
        return False
    nearest = max(sentences, key=lambda each: len(content & each.stems), default=None)
    return nearest is None or _denied(rest) & content == nearest.denied & content


class _Sentence(NamedTuple):
    text: str
    stems: frozenset[str]
    denied: frozenset[str]
    asked: Sequence[str]
    """The forms of its words if it begins as a question does."""


@lru_cache(maxsize=64)
def _sentences(query: str) -> list[_Sentence]:
    texts = [text for _, text in locate_sentences(in_one_spelling(query))]
    return [_Sentence(text, stems_of(text), _denied(text), _asked(text)) for text in texts]


def _asked(text: str) -> Sequence[str]:
    return read_words(text).forms if begins_to_ask(text) else ()


def _denied(text: str) -> frozenset[str]:
    """Return the stems of the words that a text negates: those behind the negations."""
    tokens = read_tokens(text)
    words = [word_from(tokens, end) for _, end in negations_in(text, tokens)]
    return frozenset([stem_of(word.form) for word in words if word])


@cache
def _begins() -> re.Pattern[str]:
    said, asked = map(phrases.expression_of, ("said", "asked"))
    return re.compile(rf"(?:(?P<said>{said})|{asked})[,:]?\s*", re.IGNORECASE)
