"""Find the contradictions between claims and facts."""

from collections.abc import Iterable, Iterator, Sequence

from schemas.answer import Fact
from schemas.checked_answer import Claim, Contradiction
from schemas.verdict import ContradictionKind
from transforms.contradictions.compared_facts import ComparedFacts, compared_facts
from transforms.contradictions.comparison import Comparison, read_claim_text
from transforms.contradictions.different_values import find_dates, find_names, find_numbers
from transforms.contradictions.indexed_facts import IndexedFacts
from transforms.contradictions.negations import find_denial, find_negations
from transforms.contradictions.numbers import number_phrases
from transforms.contradictions.parsed_sentence import (
    DENIAL,
    MONTH,
    NEGATION,
    NUMBER,
    Features,
)
from transforms.contradictions.passages import Difference
from transforms.contradictions.swapped_values import find_swapped_values
from transforms.rules import fact_text

_MAX_CACHED_CHARS = 1_000  # hardly any claim is longer


def find_contradictions(
    claims: Sequence[Claim], facts: Iterable[Fact]
) -> tuple[Contradiction, ...]:
    """Find the contradictions between the claims that have a required score and the facts."""
    compared = [
        (number, claim.text)
        for number, claim in enumerate(claims)
        if claim.required_score is not None
    ]
    described = [(fact.text, fact_text.fact_attributes(fact)) for fact in facts]
    rendered = fact_text.render_without_uris(described, fact_text.render_facts(described))
    prepared = prepare_facts(rendered, [text for _, text in compared])
    return tuple(
        [
            Contradiction(claim=number, **difference._asdict())
            for number, text in compared
            if not prepared.has_sentence(text)
            for difference in _compare_for_tags(text, prepared)
        ]
    )


def _compare_for_tags(claim: str, facts: ComparedFacts) -> list[Difference]:
    """Find also what only tags an answer and does not lower the score of the embedded checker."""
    comparison = Comparison(read_claim_text(claim), facts)
    known = facts.differences.get(claim)
    found = list(_differences(comparison) if known is None else known)
    kinds = {each.kind for each in found}
    if comparison.claim.features.kinds & NEGATION and ContradictionKind.NEGATION not in kinds:
        found += find_denial(comparison)
    values = {each.claim_value for each in found}
    found += [each for each in find_swapped_values(comparison) if each.claim_value not in values]
    return found


def prepare_facts(facts: tuple[str, ...], claims: Sequence[str]) -> ComparedFacts:
    """Prepare the rendered facts of an answer for `compare_claim` with any of the claims."""
    if fact_text.needs_index(sum(map(len, claims)), facts):
        return IndexedFacts(facts, [read_claim_text(claim).text for claim in claims])
    return compared_facts(facts)


def compare_claim(
    claim: str, facts: ComparedFacts, features: Features | None = None
) -> tuple[Difference, ...]:
    """Find the contradictions between one claim and the facts: dates, numbers, names, negations."""
    # Tagging a record compares the claims that the embedded checker just compared.
    found = facts.differences.get(claim)
    if found is None:
        found = tuple(_differences(Comparison(read_claim_text(claim, features), facts)))
        if found and facts.has_sentence(claim):
            found = ()
        if len(claim) <= _MAX_CACHED_CHARS:
            facts.differences.put(claim, found)
    return found


def _differences(comparison: Comparison) -> Iterator[Difference]:
    """Find differences of the kinds that a fast test does not exclude."""
    facts, claim = comparison.facts, comparison.claim
    kinds, capitals, lower = claim.features.kinds, claim.features.capitals, claim.lower
    if kinds & MONTH or (kinds & NUMBER and not all(map(facts.has_phrase, number_phrases(lower)))):
        yield from find_dates(comparison)
        yield from find_numbers(comparison)
    if capitals and facts.lacks_any(capitals):
        yield from find_names(comparison)
    # A claim with any negation may say the same in other words.
    if kinds & NEGATION or (not kinds & DENIAL and facts.may_negate_word_of(lower)):
        yield from find_negations(comparison)
