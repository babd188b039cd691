"""A claim beside its facts."""

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from schemas.answer import Fact
from schemas.checked_answer import Claim, Contradiction
from transforms.contradictions.comparing_dates import compare_dates
from transforms.contradictions.comparing_denials import compare_denials
from transforms.contradictions.comparing_names import compare_names
from transforms.contradictions.comparing_numbers import compare_numbers
from transforms.contradictions.difference import Difference
from transforms.contradictions.indexed_sources import IndexedSources
from transforms.contradictions.quantities import number_phrases
from transforms.contradictions.sentence import Sentence
from transforms.contradictions.signs import (
    CAPITAL,
    DENIAL,
    MONTH,
    NUMBER,
    SOURCE,
    Signs,
    read_signs,
)
from transforms.contradictions.sources import Sources, sources_of
from transforms.rules import english
from transforms.rules.fact_text import (
    fact_attributes,
    needs_index,
    render_facts,
    render_without_uris,
)

_REMEMBERED_CHARS = 1_000
"""Hardly a claim has more."""

_COMPARISONS = (compare_dates, compare_numbers, compare_names, compare_denials)

_BRACKETED = re.compile(r"[\[(]\d+(?:\s*[,;-]\s*\d+)*[\])]")
"""A citation such as ``[3]`` or ``(1, 2)``, which counts sources and states nothing."""


def find_contradictions(
    claims: Sequence[Claim], facts: Iterable[Fact]
) -> tuple[Contradiction, ...]:
    """Find what claims say otherwise than the facts.

    Args:
      claims: of an answer; those that required no check, or have no score, are passed over.
      facts: all facts of the answer.

    Returns:
      The mismatches, in the claims' order.
    """
    compared = [claim.text for claim in claims if claim.required_score is not None]
    described = [(fact.text, fact_attributes(fact)) for fact in facts]
    sources = sources_for(render_without_uris(described, render_facts(described)), compared)
    return tuple(
        Contradiction(
            claim=number,
            kind=difference.kind,
            claim_value=difference.claim_value,
            fact_value=difference.fact_value,
            fact=difference.fact,
        )
        for number, claim in enumerate(claims)
        if claim.required_score is not None
        for difference in differences(claim.text, sources)
    )


def sources_for(facts: tuple[str, ...], claims: Sequence[str]) -> Sources:
    """Return the facts of an answer, to compare its claims with.

    Args:
      facts: their texts, with their attributes as further lines.
      claims: all claims that will be compared.
    """
    if needs_index(sum(map(len, claims)), facts):
        return IndexedSources(
            facts, [_without_references(claim, read_signs(claim)) for claim in claims]
        )
    return sources_of(facts)


def differences(claim: str, sources: Sources, signs: Signs | None = None) -> tuple[Difference, ...]:
    """Compare one claim with the facts.

    Args:
      claim: the claim.
      sources: the facts.
      signs: what the claim could hold, if that is known.

    Returns:
      What differs: dates first, then numbers, names and denials.
    """
    # A record's mismatches are not looked for anew where the embedded checker just did.
    found = sources.differences.get(claim)
    if found is None:
        found = _compared(claim, sources, signs or read_signs(claim))
        if len(claim) <= _REMEMBERED_CHARS:
            sources.differences.put(claim, found)
    return found


def _compared(claim: str, sources: Sources, signs: Signs) -> tuple[Difference, ...]:
    text = _without_references(claim, signs)
    if text != claim:
        signs = read_signs(text)
    if not _may_differ(text, sources, signs) or sources.states(claim):
        return ()
    sentence = Sentence(text, signs)
    passages = sources.passages_near(sentence)
    return tuple(chain.from_iterable(each(sentence, sources, passages) for each in _COMPARISONS))


def _may_differ(claim: str, sources: Sources, signs: Signs) -> bool:
    """Tell whether a claim has anything that could differ; reading it takes many times as long.

    A year that stands in the facts with the same word behind it is their year.
    """
    if signs.kinds & (MONTH | DENIAL):
        return True
    if signs.kinds & CAPITAL and sources.lacks_any(signs.capitals):
        return True
    lower = claim.lower()
    if signs.kinds & NUMBER and not all(map(sources.has_phrase, number_phrases(lower))):
        return True
    return sources.may_deny_word_of(lower)


def _without_references(claim: str, signs: Signs) -> str:
    """Leave out what points at sources, which always has a number."""
    if not signs.kinds & NUMBER:
        return claim
    text = _BRACKETED.sub(" ", claim)
    return english.without_references(text) if signs.kinds & SOURCE else text
