"""Recognize sentences of an answer that only repeat what the user said."""

import re
from functools import cache, lru_cache
from typing import NamedTuple

from groundwatch.transforms.lexical import phrases
from groundwatch.transforms.lexical.clauses import QUESTION_MARKS
from groundwatch.transforms.lexical.fact_sentences import stem_of
from groundwatch.transforms.lexical.negations import negations_in
from groundwatch.transforms.lexical.same_text import in_one_spelling
from groundwatch.transforms.lexical.sentences import locate_sentences
from groundwatch.transforms.lexical.words import content_of, read_tokens

_MAX_CHARS = 10_000
_VERB_CHARS = 4


def repeats_user(sentence: str, query: str) -> bool:
    """Return whether a sentence says that the user said, or asked, what is in the query.

    It begins so, "You mentioned that", and what follows has no content that the query does not
    have, and denies what the query denies. What it adds, behind "so" or otherwise, makes it a
    claim. What the user asked is nothing that he said.
    """
    text = phrases.without_leads(in_one_spelling(sentence))
    begun = _begins().match(text)
    if not begun:
        return False
    rest = text[begun.end() :]
    content = _stems(rest)
    sentences = _sentences(query[:_MAX_CHARS])
    if begun["said"]:
        sentences = [each for each in sentences if not each.text.endswith(QUESTION_MARKS)]
    known = frozenset[str]().union(*[each.stems for each in sentences])
    if not all(_is_in(each, known) for each in content):
        return False
    nearest = max(sentences, key=lambda each: len(content & each.stems), default=None)
    return nearest is None or _denied(rest) & content == nearest.denied & content


class _Sentence(NamedTuple):
    text: str
    stems: frozenset[str]
    denied: frozenset[str]


@lru_cache(maxsize=64)
def _sentences(query: str) -> list[_Sentence]:
    texts = [text for _, text in locate_sentences(in_one_spelling(query))]
    return [_Sentence(text, _stems(text), _denied(text)) for text in texts]


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem_of, content_of(text)))


def _denied(text: str) -> frozenset[str]:
    """Return the stems of the words that a text negates: those behind the negations."""
    tokens = read_tokens(text)
    spans = negations_in(text, [(token.lower, token.start, token.end) for token in tokens])
    words = (
        next((each for each in tokens if each.kind and each.start >= end), None) for _, end in spans
    )
    return frozenset([stem_of(word.form) for word in words if word])


def _is_in(stem: str, stems: frozenset[str]) -> bool:
    """Return whether a stem is one of some; its ending may differ."""
    begin = stem[:_VERB_CHARS]
    return stem in stems or (
        len(begin) == _VERB_CHARS
        and begin.isalpha()
        and any(each.startswith(begin) for each in stems)
    )


@cache
def _begins() -> re.Pattern[str]:
    said, asked = map(phrases.expression_of, ("said", "asked"))
    return re.compile(rf"(?:(?P<said>{said})|{asked})[,:]?\s*", re.IGNORECASE)
