"""Recognize sentences of an answer that only repeat what the user said."""

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from groundwatch.transforms.lexical.facts.fact_sentences import is_among, stem_of, stems_of
from groundwatch.transforms.lexical.language import phrases
from groundwatch.transforms.lexical.language.negations import negations_in
from groundwatch.transforms.lexical.language.sentences import QUESTION_MARKS
from groundwatch.transforms.lexical.language.words import (
    ClaimWords,
    read_tokens,
    read_words,
    word_from,
)
from groundwatch.transforms.lexical.reading.same_text import in_one_spelling
from .questions import BEGIN_TO_ASK, begins_to_ask, sentences_of_query

_MAX_CHARS = 10_000


def repeats_user(claim: ClaimWords, query: str) -> bool:
    """Return whether a claim says that the user said, or asked, what is in the query.

    It begins so, "You mentioned that", and what follows has no content that the query does not
    have, and denies what the query denies. What it adds, behind "so" or otherwise, makes it a
    claim. What the user asked is nothing that he said. Or it is a question of the query, without
    its mark or with a label, "Q: How long do refunds take".

    >>> repeats_user(ClaimWords.of("You asked about lamps."), "Tell me about lamps")
    True
    """
    begun = _begins().match(claim.text) if phrases.may_repeat(claim.text) else None
    if not begun:
        forms = claim.forms
        may_ask = not BEGIN_TO_ASK.isdisjoint(forms[:2])
        return may_ask and any(each in (forms, forms[1:]) for each in _asked(query))
    rest = claim.text[begun.end() :]
    content = stems_of(rest)
    said = [
        (text, stems_of(text))
        for text in sentences_of_query(in_one_spelling(query[:_MAX_CHARS]))
        if not (begun["said"] and text.endswith(QUESTION_MARKS))
    ]
    known = frozenset[str]().union(*[stems for _, stems in said])
    if not all(is_among(each, known) for each in content):
        return False
    if not said:
        return True
    nearest, _ = max(said, key=lambda each: len(content & each[1]))
    return _denied(rest) & content == _denied(nearest) & content


@lru_cache(maxsize=64)
def _asked(query: str) -> list[Sequence[str]]:
    """Return the forms of the words of each sentence that begins as a question does."""
    sentences = sentences_of_query(in_one_spelling(query[:_MAX_CHARS]))
    return [read_words(each).forms for each in sentences if begins_to_ask(each)]


def _denied(text: str) -> frozenset[str]:
    """Return the stems of the words that a text negates: those behind the negations."""
    tokens = read_tokens(text)
    words = [word_from(tokens, end) for _, end in negations_in(text, tokens)]
    return frozenset([stem_of(word.form) for word in words if word])


@cache
def _begins() -> re.Pattern[str]:
    said, asked = map(phrases.expression_of, ("said", "asked"))
    return re.compile(rf"(?:(?P<said>{said})|{asked})[,:]?\s*", re.IGNORECASE)
