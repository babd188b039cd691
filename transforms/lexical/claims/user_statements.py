"""Recognize sentences of an answer that only repeat what the user said."""

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from groundwatch.transforms.lexical.facts.fact_sentences import is_among, stem_of, stems_of
from groundwatch.transforms.lexical.language import phrases
from groundwatch.transforms.lexical.language.cache import CachedAttribute
from groundwatch.transforms.lexical.language.negations import negations_in
from groundwatch.transforms.lexical.language.sentences import QUESTION_MARKS
from groundwatch.transforms.lexical.language.words import (
    ClaimWords,
    read_tokens,
    read_words,
    word_from,
)
from groundwatch.transforms.lexical.reading.same_text import in_one_spelling
from .questions import begins_to_ask, sentences_of_query

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
    sentences = _sentences(query[:_MAX_CHARS])
    begun = _begins().match(claim.text) if phrases.may_repeat(claim.text) else None
    if not begun:
        return any(each in (claim.forms, claim.forms[1:]) for each in _asked(sentences))
    rest = claim.text[begun.end() :]
    content = stems_of(rest)
    if begun["said"]:
        sentences = [each for each in sentences if not each.text.endswith(QUESTION_MARKS)]
    known = frozenset[str]().union(*[each.stems for each in sentences])
    if not all(is_among(each, known) for each in content):
        return False
    nearest = max(sentences, key=lambda each: len(content & each.stems), default=None)
    return nearest is None or _denied(rest) & content == nearest.denied & content


class _Sentence:
    """A sentence of the user, read at its first use."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.asks = begins_to_ask(text)

    @CachedAttribute
    def forms(self) -> Sequence[str]:
        return read_words(self.text).forms

    @CachedAttribute
    def stems(self) -> frozenset[str]:
        return stems_of(self.text)

    @CachedAttribute
    def denied(self) -> frozenset[str]:
        return _denied(self.text)


@lru_cache(maxsize=64)
def _sentences(query: str) -> list[_Sentence]:
    return list(map(_Sentence, sentences_of_query(in_one_spelling(query))))


def _asked(sentences: Sequence[_Sentence]) -> list[Sequence[str]]:
    """Return the forms of the words of each sentence that begins as a question does."""
    return [each.forms for each in sentences if each.asks]


def _denied(text: str) -> frozenset[str]:
    """Return the stems of the words that a text negates: those behind the negations."""
    tokens = read_tokens(text)
    words = [word_from(tokens, end) for _, end in negations_in(text, tokens)]
    return frozenset([stem_of(word.form) for word in words if word])


@cache
def _begins() -> re.Pattern[str]:
    said, asked = map(phrases.expression_of, ("said", "asked"))
    return re.compile(rf"(?:(?P<said>{said})|{asked})[,:]?\s*", re.IGNORECASE)
