"""Find the contradictions between claims and facts."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain

from schemas.answer import Fact
from schemas.checked_answer import Claim, Contradiction
from schemas.verdict import ContradictionKind
from transforms.contradictions.compared_facts import (
    ComparedFacts,
    Difference,
    FactSentence,
    Passages,
    compared_facts,
)
from transforms.contradictions.indexed_facts import IndexedFacts
from transforms.contradictions.names import Name
from transforms.contradictions.numbers import Quantity, number_phrases
from transforms.contradictions.parsed_sentence import (
    CAPITAL,
    MONTH,
    NEGATION,
    NUMBER,
    SOURCE,
    Features,
    ParsedSentence,
    read_features,
)
from transforms.rules import fact_text
from transforms.rules.english import without_references

_MAX_CACHED_CHARS = 1_000  # hardly any claim is longer

# A citation, such as ``[3]`` or ``(1, 2)``, whose numbers state nothing.
_CITATION = re.compile(r"[\[(]\d+(?:\s*[,;-]\s*\d+)*[\])]")
_SMALL = 10  # the generator often counts up to here itself: "two ways"

# The share of a claim's words that a sentence must have for a negation to be the difference.
_ALIKE = 0.6


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
    return tuple(chain.from_iterable(each(sentence, facts, passages) for each in _COMPARISONS))


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


def _compare_dates(
    claim: ParsedSentence, facts: ComparedFacts, passages: Passages
) -> Iterator[Difference]:
    """Find dates that agree with no date of a fact; a part of a date agrees with the whole."""
    for date in claim.dates:
        if facts.has_phrase(date.text.lower()) or passages.has_date(date):
            continue
        passage = passages.nearest(claim)
        if passage is None or not passage.sentence.dates:
            yield Difference(ContradictionKind.DATE, date.text)
        else:
            closest = max(passage.sentence.dates, key=date.shared_parts)
            yield Difference(ContradictionKind.DATE, date.text, closest.text, passage.fact)


def _compare_numbers(
    claim: ParsedSentence, facts: ComparedFacts, passages: Passages
) -> Iterator[Difference]:
    """Find numbers that no fact has, or that the facts have with another unit or thing."""
    for quantity in claim.quantities:
        if facts.has_phrase(quantity.phrase):
            continue
        difference = None
        if facts.has_number(quantity.value, passages):
            difference = _other_unit(quantity, claim, passages) or _other_thing(
                quantity, claim, passages
            )
        elif not _is_own_count(quantity):
            difference = _unknown_number(quantity, claim, passages)
        if difference:
            yield difference


def _compare_names(
    claim: ParsedSentence, facts: ComparedFacts, passages: Passages
) -> Iterator[Difference]:
    """Find names that no fact has, if the nearest sentence has another one in the same place.

    A name that is only added is not a contradiction; it lowers the claim's score.
    """
    if not facts.lacks_any(claim.features.capitals):
        return
    for name in claim.names:
        if not facts.lacks_any(token.lower for token in name.tokens):
            continue
        passage = passages.nearest(claim)
        if passage and (other := _other_name(name, claim, passage.sentence)):
            yield Difference(ContradictionKind.NAME, name.text, other.text, passage.fact)


def _compare_negations(
    claim: ParsedSentence, facts: ComparedFacts, passages: Passages
) -> Iterator[Difference]:
    """Find a word that only the claim or only the fact negates, in similar sentences."""
    if claim.negated:
        yield from _negated_by_claim(claim, passages)
    elif (candidates := facts.maybe_negated(claim)) and not claim.may_negate:
        yield from _negated_by_fact(claim, candidates, passages)


def _is_own_count(quantity: Quantity) -> bool:
    is_small = isinstance(quantity.value, float) and quantity.value <= _SMALL
    return is_small and not quantity.is_in_digits and quantity.unit is None


def _unknown_number(quantity: Quantity, claim: ParsedSentence, passages: Passages) -> Difference:
    """Find the number of the same thing in the nearest sentence, or its only number."""
    passage = passages.nearest(claim)
    others = _other_quantities(claim, passage) if passage else []
    alike = [each for each in others if each.counts_like(quantity)] or others
    if passage is None or len(alike) != 1:
        return Difference(ContradictionKind.NUMBER, quantity.text)
    return Difference(ContradictionKind.NUMBER, quantity.text, alike[0].text, passage.fact)


def _other_quantities(claim: ParsedSentence, passage: FactSentence) -> list[Quantity]:
    return [each for each in passage.sentence.quantities if each.value not in claim.values]


def _other_unit(own: Quantity, claim: ParsedSentence, passages: Passages) -> Difference | None:
    """Find a number that the facts have, but never with its unit."""
    uses = passages.number_uses.get(own.value)
    if own.unit is None or uses is None or uses.is_bare or uses.counts_like(own):
        return None
    nearest = passages.nearest(claim)
    occurrences = [
        uses.by_sentence.get(nearest.sentence) if nearest else None,
        *(each for unit, each in uses.by_unit.items() if unit.kind == own.unit.kind),
    ]
    first = min(filter(None, occurrences), key=lambda each: each.place, default=None)
    if first is None:
        return None
    return Difference(ContradictionKind.UNIT, own.text, first.quantity.text, first.passage.fact)


def _other_thing(own: Quantity, claim: ParsedSentence, passages: Passages) -> Difference | None:
    """Find a number that the facts have, but never with the thing that the claim counts."""
    uses = passages.number_uses.get(own.value)
    if own.is_bare or (uses and (uses.is_bare or uses.counts_like(own))):
        return None
    passage = passages.nearest(claim)
    others = _other_quantities(claim, passage) if passage else []
    alike = [each for each in others if each.counts_like(own)]
    if passage is None or len(alike) != 1:
        return None
    return Difference(ContradictionKind.NUMBER, own.text, alike[0].text, passage.fact)


def _other_name(name: Name, claim: ParsedSentence, sentence: ParsedSentence) -> Name | None:
    others = (
        other
        for other in sentence.names
        if any(token.form not in claim.forms for token in other.tokens)
    )
    return next(filter(name.is_like, others), None)


def _negated_by_claim(claim: ParsedSentence, passages: Passages) -> Iterator[Difference]:
    passage = passages.nearest(claim, _ALIKE)
    # A sentence with any negation may say the same in other words.
    if passage is None or passage.sentence.may_negate:
        return
    for form, negation in claim.negated.items():
        if affirmed := passage.sentence.spelling(form):
            if not passages.negates(form):
                yield Difference(ContradictionKind.NEGATION, negation, affirmed, passage.fact)
            return


def _negated_by_fact(
    claim: ParsedSentence, candidates: frozenset[str], passages: Passages
) -> Iterator[Difference]:
    is_affirmed = cache(passages.affirms)
    for sentence, fact in passages.all:
        for form in filter(sentence.negates, sorted(candidates)):
            if sentence.resembles(claim, _ALIKE) and not is_affirmed(form):
                affirmed, negation = claim.spelling(form) or "", sentence.negated[form]
                yield Difference(ContradictionKind.NEGATION, affirmed, negation, fact)
                return


_COMPARISONS = (_compare_dates, _compare_numbers, _compare_names, _compare_negations)
