"""Quote the sentences of facts that support a claim, or that it contradicts."""

from collections.abc import Iterable, Sequence
from itertools import accumulate, takewhile
from typing import NamedTuple

from groundwatch.schemas.answer import Fact
from groundwatch.schemas.checked_answer import Claim, Contradiction
from groundwatch.transforms.lexical.facts import fact_text
from groundwatch.transforms.lexical.facts.fact_sentences import sentences_of, stems_of
from .redaction import is_hashed

MAX_CHARACTERS = 240
"""Longer sentences are cut, at a word."""

_Sentence = tuple[str, frozenset[str]]
"""A sentence, and the stems of its content words."""

_LEAD_CHARACTERS = 80
_MAX_FACT_CHARACTERS = 50_000
"""Of a longer fact, so much around the place is read."""


class Quote(NamedTuple):
    """A sentence of a fact, on one line, and the number of the fact, from 0.

    `contradicts` says that the claim contradicts it; otherwise it supports the claim.
    """

    fact: int
    text: str
    contradicts: bool = False


def quote_facts(
    number: int, claims: Sequence[Claim], mismatches: Sequence[Contradiction], facts: Sequence[Fact]
) -> tuple[Quote, ...]:
    """Quote what a claim contradicts or, if nothing, the sentence that supports it best.

    Args:
      number: of the claim, from 0.
      claims: of the answer.
      mismatches: of the answer.
      facts: of the answer; nothing is quoted of those whose text was not kept.
    """
    claim = claims[number]
    words = stems_of(claim.text)
    contradicted = [
        Quote(fact, _sentence_with(each.fact_value or "", words, facts[fact]), contradicts=True)
        for each in mismatches
        if each.claim == number and (fact := each.fact) is not None and fact < len(facts)
    ]
    if contradicted:
        return tuple(dict.fromkeys(each for each in contradicted if each.text))
    starts = (*claim.citation_starts, *([0] * len(claim.citations)))
    best = _nearest_of_facts(
        words,
        (
            (fact, _sentences(facts[fact], start))
            for fact, start in zip(claim.citations, starts, strict=False)
            if fact < len(facts)
        ),
    )
    return (best,) if best else ()


def nearest_quote(claim: Claim, facts: Sequence[Fact]) -> Quote | None:
    """Quote the sentence of facts that shares most words with a claim that cites none.

    The facts are read until 50,000 characters are.
    """
    before = accumulate((len(fact.text) for fact in facts), initial=0)
    count = sum(1 for _ in takewhile(lambda size: size < _MAX_FACT_CHARACTERS, before))
    read = ((number, _sentences(fact, 0)) for number, fact in enumerate(facts[:count]))
    return _nearest_of_facts(stems_of(claim.text), read)


def cut_sentence(text: str, around: str = "") -> str:
    """Write a sentence on one line, and cut a long one at words, around what it must keep.

    >>> cut_sentence("Lamps " + "glow " * 60)[-11:]
    'glow glow …'
    """
    line = " ".join(text.split())
    if len(line) <= MAX_CHARACTERS:
        return line
    place = max(line.find(around), 0)
    start = min(max(place - _LEAD_CHARACTERS, 0), len(line) - MAX_CHARACTERS)
    if start:
        word = line.find(" ", start, place)
        start = word + 1 if word >= 0 else start
    end = start + MAX_CHARACTERS
    if end < len(line):
        word = line.rfind(" ", min(place + len(around), end), end)
        end = word if word > start else end
    return f"{'… ' if start else ''}{line[start:end]}{' …' if end < len(line) else ''}"


def _sentence_with(value: str, words: frozenset[str], fact: Fact) -> str:
    """Return the sentence with a value that shares most words with a claim, cut around it."""
    place = max(0, fact.text.find(value))
    sentences = _sentences(fact, len(fact.text[:place].encode(errors="replace")))
    holding = [each for each in sentences if value and value in each[0]]
    share, found = _nearest(words, holding or sentences)
    return cut_sentence(found, value) if holding or share else ""


def _nearest_of_facts(
    words: frozenset[str], facts: Iterable[tuple[int, Sequence[_Sentence]]]
) -> Quote | None:
    """Quote the sentence that shares most words, of numbered facts; None if none shares any."""
    ranked = ((*_nearest(words, sentences), number) for number, sentences in facts)
    share, sentence, number = max(ranked, key=lambda each: each[0], default=(0.0, "", 0))
    return Quote(number, cut_sentence(sentence)) if share else None


def _nearest(words: frozenset[str], sentences: Sequence[_Sentence]) -> tuple[float, str]:
    """Return the sentence that shares most words, the shortest of several, and their share."""
    ranked = (
        (len(words & own) / max(1, len(words)), -len(own), sentence) for sentence, own in sentences
    )
    share, _, found = max(ranked, key=lambda each: each[:2], default=(0.0, 0, ""))
    return share, found


def _sentences(fact: Fact, start_byte: int) -> list[_Sentence]:
    """Return the sentences of a fact as the checker reads them, without its address."""
    if not fact.text.strip() or is_hashed(fact.text):
        return []
    described = fact_text.describe_facts([fact])
    if len(fact.text) > _MAX_FACT_CHARACTERS:
        described = [_around(described[0], start_byte)]
    [text] = fact_text.render_without_uris(described, fact_text.render_facts(described))
    found = sentences_of(text)
    return list(zip(found.texts, found.contents, strict=True))


def _around(described: fact_text.FactAndAttributes, start_byte: int) -> fact_text.FactAndAttributes:
    text, attributes = described
    half = _MAX_FACT_CHARACTERS // 2
    place = len(text.encode(errors="replace")[:start_byte].decode(errors="ignore"))
    return text[max(0, place - half) : place + half], attributes
