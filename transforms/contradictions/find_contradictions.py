"""Find the contradictions between claims and facts."""

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from schemas.answer import Fact
from schemas.checked_answer import Claim, Contradiction
from transforms.contradictions.compared_facts import ComparedFacts, Difference, compared_facts
from transforms.contradictions.comparisons import COMPARISONS
from transforms.contradictions.features import (
    CAPITAL,
    MONTH,
    NEGATION,
    NUMBER,
    SOURCE,
    Features,
    read_features,
)
from transforms.contradictions.indexed_facts import IndexedFacts
from transforms.contradictions.numbers import number_phrases
from transforms.contradictions.parsed_sentence import ParsedSentence
from transforms.rules import fact_text
from transforms.rules.english import without_references

_MAX_CACHED_CHARS = 1_000
"""Hardly any claim is longer."""

_CITATION = re.compile(r"[\[(]\d+(?:\s*[,;-]\s*\d+)*[\])]")
"""A citation, such as ``[3]`` or ``(1, 2)``, whose numbers state nothing."""


def find_contradictions(
    claims: Sequence[Claim], facts: Iterable[Fact]
) -> tuple[Contradiction, ...]:
    """Find the contradictions between the claims of an answer and its facts.

    Args:
      claims: the claims; those that required no check, or have no score, are skipped.
      facts: all facts of the answer.

    Returns:
      The contradictions, in the claims' order.
    """
    compared = [claim.text for claim in claims if claim.required_score is not None]
    described = [(fact.text, fact_text.fact_attributes(fact)) for fact in facts]
    rendered = fact_text.render_without_uris(described, fact_text.render_facts(described))
    prepared = prepare_facts(rendered, compared)
    return tuple(
        Contradiction(claim=number, **difference._asdict())
        for number, claim in enumerate(claims)
        if claim.required_score is not None
        for difference in compare_claim(claim.text, prepared)
    )


def prepare_facts(facts: tuple[str, ...], claims: Sequence[str]) -> ComparedFacts:
    """Prepare the facts of an answer for `compare_claim`.

    Args:
      facts: their texts, with their attributes as further lines.
      claims: all claims that will be compared.
    """
    if fact_text.needs_index(sum(map(len, claims)), facts):
        return IndexedFacts(
            facts, [_without_citations(claim, read_features(claim)) for claim in claims]
        )
    return compared_facts(facts)


def compare_claim(
    claim: str, facts: ComparedFacts, features: Features | None = None
) -> tuple[Difference, ...]:
    """Find the contradictions between one claim and the facts.

    Args:
      claim: the claim.
      facts: the prepared facts.
      features: what the claim may contain, if known.

    Returns:
      The differences: dates first, then numbers, names and negations.
    """
    # Tagging a record compares the claims that the embedded checker just compared.
    found = facts.differences.get(claim)
    if found is None:
        found = _compare(claim, facts, features or read_features(claim))
        if len(claim) <= _MAX_CACHED_CHARS:
            facts.differences.put(claim, found)
    return found


def _compare(claim: str, facts: ComparedFacts, features: Features) -> tuple[Difference, ...]:
    text = _without_citations(claim, features)
    if text != claim:
        features = read_features(text)
    if not _may_differ(text, facts, features) or facts.has_sentence(claim):
        return ()
    sentence = ParsedSentence(text, features)
    passages = facts.passages_near(sentence)
    return tuple(chain.from_iterable(each(sentence, facts, passages) for each in COMPARISONS))


def _may_differ(claim: str, facts: ComparedFacts, features: Features) -> bool:
    """Return whether anything in a claim may differ; many times as fast as parsing it.

    A year does not differ if the facts have it with the same word behind it.
    """
    if features.kinds & (MONTH | NEGATION):
        return True
    if features.kinds & CAPITAL and facts.lacks_any(features.capitals):
        return True
    lower = claim.lower()
    if features.kinds & NUMBER and not all(map(facts.has_phrase, number_phrases(lower))):
        return True
    return facts.may_negate_word_of(lower)


def _without_citations(claim: str, features: Features) -> str:
    """Remove citations and references to sources, which always have a number."""
    if not features.kinds & NUMBER:
        return claim
    text = _CITATION.sub(" ", claim)
    return without_references(text) if features.kinds & SOURCE else text
