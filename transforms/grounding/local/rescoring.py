"""Claims scored by a model of entailment instead of by words."""

import heapq
from collections.abc import Callable, Sequence
from typing import NamedTuple

from transforms.contradictions.parsed_sentence import ParsedSentence
from transforms.contradictions.passages import sentences_of
from transforms.rules.support_score import logit

Entailment = Callable[[Sequence[tuple[str, str]]], list[float]]
"""Passages and claims in, how surely each passage entails its claim out, 0..1."""

_MOST_FACTS = 3
_MOST_SENTENCES = 6
"""So much of the facts is read to a model for one claim: what shares most words with it."""

_NEAREST_TO_CERTAIN = 1e-6
"""Probabilities are kept this far from 0 and 1, whose log odds are infinite."""


class Rescored(NamedTuple):
    """What a model found of a claim: its log odds, and the facts that each entail it."""

    log_odds: float
    cited: tuple[int, ...]


def rescore(
    claims: Sequence[str], facts: Sequence[str], entailment: Entailment, threshold: float
) -> list[Rescored]:
    """Score claims by how surely the nearest sentences of the facts entail them.

    Args:
      claims: those that require a check.
      facts: all facts.
      entailment: the model.
      threshold: 0..1, the probability from which a fact is cited.

    Returns:
      For each claim the best of the facts, by themselves and put together.
    """
    readings = [_readings(ParsedSentence(claim), facts) for claim in claims]
    pairs = [
        (passage, claim)
        for claim, reading in zip(claims, readings, strict=True)
        for _, passage in reading
    ]
    probabilities = iter(entailment(pairs))
    found = []
    for reading in readings:
        told = [(fact, next(probabilities)) for fact, _ in reading]
        best = max((probability for _, probability in told), default=0.0)
        bounded = min(max(best, _NEAREST_TO_CERTAIN), 1 - _NEAREST_TO_CERTAIN)
        cited = (fact for fact, share in told if fact is not None and share >= threshold)
        found.append(Rescored(logit(bounded), tuple(cited)))
    return found


def _readings(claim: ParsedSentence, facts: Sequence[str]) -> list[tuple[int | None, str]]:
    """What a model reads of each of the nearest facts, and of them all: with no index."""
    content = claim.content
    shared = [sum(map(fact.lower().__contains__, content)) for fact in facts]
    nearest = heapq.nlargest(_MOST_FACTS, range(len(facts)), key=shared.__getitem__)
    readings: list[tuple[int | None, str]] = [
        (number, _nearest_sentences(content, facts[number])) for number in nearest
    ]
    if len(readings) > 1:
        readings.append((None, " ".join(passage for _, passage in readings)))
    return [(number, passage) for number, passage in readings if passage]


def _nearest_sentences(content: frozenset[str], fact: str) -> str:
    sentences = sentences_of(fact)
    shared = [len(content & sentence.content) for sentence in sentences]
    chosen = heapq.nlargest(_MOST_SENTENCES, range(len(sentences)), key=shared.__getitem__)
    return " ".join(sentences[place].text for place in sorted(chosen))
