"""Find the contradictions between claims and facts."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from operator import itemgetter

from schemas.answer import Fact
from schemas.checked_answer import Claim, Contradiction
from schemas.verdict import ContradictionKind
from transforms.contradictions.compared_facts import ComparedFacts, Difference, compared_facts
from transforms.contradictions.dates import may_agree
from transforms.contradictions.denials import find_denial
from transforms.contradictions.indexed_facts import IndexedFacts
from transforms.contradictions.numbers import Quantity, number_phrases
from transforms.contradictions.parsed_sentence import (
    CAPITAL,
    DENIAL,
    MONTH,
    NEGATION,
    NUMBER,
    SOURCE,
    Features,
    ParsedSentence,
    read_features,
)
from transforms.rules import fact_text
from transforms.rules.cache import CachedAttribute
from transforms.rules.phrases import without_references

_MAX_CACHED_CHARS = 1_000  # hardly any claim is longer
# A citation, such as ``[3]`` or ``(1, 2)``, whose numbers state nothing.
_CITATION = re.compile(r"[\[(]\d+(?:\s*[,;-]\s*\d+)*[\])]")
_SMALL = 10  # the generator often counts up to here itself: "two ways"
# The share of a claim's words that a sentence must have for a negation to be the difference.
_ALIKE = 0.6


def find_contradictions(
    claims: Sequence[Claim], facts: Iterable[Fact]
) -> tuple[Contradiction, ...]:
    """Find the contradictions between the claims that have a required score and the facts."""
    compared = {
        number: claim.text
        for number, claim in enumerate(claims)
        if claim.required_score is not None
    }
    described = [(fact.text, fact_text.fact_attributes(fact)) for fact in facts]
    rendered = fact_text.render_without_uris(described, fact_text.render_facts(described))
    prepared = prepare_facts(rendered, [*compared.values()])
    return tuple(
        Contradiction(claim=number, **difference._asdict())
        for number, text in compared.items()
        for difference in _compare_for_tags(text, prepared)
    )


def _compare_for_tags(claim: str, facts: ComparedFacts) -> tuple[Difference, ...]:
    """Find also the denials that do not lower the score of the embedded checker."""
    found = compare_claim(claim, facts)
    if found and any(each.kind == ContradictionKind.NEGATION for each in found):
        return found
    denial = find_denial(claim, facts)
    return (*found, denial) if denial else found


def prepare_facts(facts: tuple[str, ...], claims: Sequence[str]) -> ComparedFacts:
    """Prepare the rendered facts of an answer for `compare_claim` with any of the claims."""
    if fact_text.needs_index(sum(map(len, claims)), facts):
        return IndexedFacts(
            facts, [_without_citations(claim, read_features(claim)) for claim in claims]
        )
    return compared_facts(facts)


def compare_claim(
    claim: str, facts: ComparedFacts, features: Features | None = None
) -> tuple[Difference, ...]:
    """Find the contradictions between one claim and the facts: dates, numbers, names, negations."""
    # Tagging a record compares the claims that the embedded checker just compared.
    if claim in facts.differences:
        return facts.differences[claim]
    features = features or read_features(claim)
    text = _without_citations(claim, features)
    if text != claim:
        features = read_features(text)
    found: tuple[Difference, ...] = ()
    if _may_differ(text, facts, features) and not facts.has_sentence(claim):
        found = _Comparison(ParsedSentence(text, features), facts).differences()
    if len(claim) <= _MAX_CACHED_CHARS:
        facts.differences.put(claim, found)
    return found


def _may_differ(claim: str, facts: ComparedFacts, features: Features) -> bool:
    """Return whether anything in a claim may differ; many times as fast as parsing it."""
    if features.kinds & (MONTH | NEGATION):
        return True
    if features.kinds & CAPITAL and facts.lacks_any(features.capitals):
        return True
    lower = claim.lower()
    if features.kinds & NUMBER and not all(map(facts.has_phrase, number_phrases(lower))):
        return True
    # A claim with any negation may say the same in other words; that leaves its numbers.
    if features.kinds & (DENIAL | NUMBER) == DENIAL:
        return False
    return facts.may_negate_word_of(lower)


def _without_citations(claim: str, features: Features) -> str:
    """Remove citations and references to sources, which always have a number."""
    if not features.kinds & NUMBER:
        return claim
    text = _CITATION.sub(" ", claim) if "[" in claim or "(" in claim else claim
    return without_references(text) if features.kinds & SOURCE else text


class _Comparison:
    """The comparison of a claim with the sentences of the facts that are near it."""

    def __init__(self, claim: ParsedSentence, facts: ComparedFacts) -> None:
        self._claim, self._facts = claim, facts
        self._passages = facts.passages_near(claim)

    def differences(self) -> tuple[Difference, ...]:
        return (*self._dates(), *self._numbers(), *self._names(), *self._negations())

    @CachedAttribute
    def _nearest(self) -> tuple[ParsedSentence | None, int | None]:
        return self._passages.nearest(self._claim) or (None, None)

    def _dates(self) -> Iterator[Difference]:
        """Find dates that agree with no date of a fact; a part of a date agrees with the whole."""
        for date in self._claim.dates:
            if self._facts.has_phrase(date.text.lower()) or any(
                may_agree(date, sentence.text) and any(map(date.agrees_with, sentence.dates))
                for sentence, _ in self._passages.all
            ):
                continue
            sentence, fact = self._nearest
            dates = sentence.dates if sentence else []
            closest = max(dates, key=date.shared_parts, default=None)
            other = (closest.text, fact) if closest else ()
            yield Difference(ContradictionKind.DATE, date.text, *other)

    def _numbers(self) -> Iterator[Difference]:
        """Find numbers that no fact has, or that the facts have with another unit or thing."""
        for quantity in self._claim.quantities:
            if self._facts.has_phrase(quantity.phrase):
                continue
            is_small = isinstance(quantity.value, float) and quantity.value <= _SMALL
            if self._facts.has_number(quantity.value, self._passages):
                yield from self._other_use(quantity)
            elif not is_small or quantity.is_in_digits or quantity.unit:
                other = self._other_quantity(quantity, or_any=True)
                yield Difference(ContradictionKind.NUMBER, quantity.text, *other)

    def _other_use(self, own: Quantity) -> Iterator[Difference]:
        """Find a number that the facts have, but never with its unit or the thing it counts."""
        uses = self._passages.uses_of(own.value)
        units = [unit for unit, _ in uses if unit]
        is_same = any(map(own.unit.may_equal, units)) if own.unit else (None, own.counted) in uses
        if is_same or (None, None) in uses:
            return
        if own.unit and units:
            kind, passages = own.unit.kind, self._passages.all
            found = [use for (unit, _), use in uses.items() if unit and unit.kind == kind]
            sentence, _ = self._nearest
            near = sentence.quantities if sentence else []
            if near := [each for each in near if each.unit and each.value == own.value]:
                places = (place for place, each in enumerate(passages) if each.sentence is sentence)
                found.insert(0, (next(places), near[0]))
            if found:
                place, other = min(found, key=itemgetter(0))
                fact = passages[place].fact
                yield Difference(ContradictionKind.UNIT, own.text, other.text, fact)
                return
        if (own.unit or own.counted) and (value := self._other_quantity(own)):
            yield Difference(ContradictionKind.NUMBER, own.text, *value)

    def _other_quantity(
        self, own: Quantity, *, or_any: bool = False
    ) -> tuple[str, int | None] | tuple[()]:
        """Find the one other number of the same thing in the nearest sentence, or its only one."""
        sentence, fact = self._nearest
        quantities = sentence.quantities if sentence else []
        values = {each.value for each in self._claim.quantities}
        others = [each for each in quantities if each.value not in values]
        alike = [each for each in others if each.counts_like(own)] or (others if or_any else [])
        return (alike[0].text, fact) if len(alike) == 1 else ()

    def _names(self) -> Iterator[Difference]:
        """Find names that no fact has, if the nearest sentence has another one in that place."""
        if not self._facts.lacks_any(self._claim.features.capitals):
            return
        for name in self._claim.names:
            if not self._facts.lacks_any(token.lower for token in name.tokens):
                continue
            forms = {token.form for token in self._claim.tokens}
            sentence, fact = self._nearest
            others = (
                other
                for other in (sentence.names if sentence else ())
                if any(token.form not in forms for token in other.tokens)
            )
            if other := next(filter(name.is_like, others), None):
                yield Difference(ContradictionKind.NAME, name.text, other.text, fact)

    def _negations(self) -> Iterator[Difference]:
        """Find a word that only the claim or only the fact negates, in similar sentences."""
        claim, facts = self._claim, self._facts
        candidates = frozenset() if claim.may_negate else facts.maybe_negated(claim)
        if not (candidates or claim.features.kinds & NEGATION):
            return
        if not facts.may_share(claim.content, _ALIKE):
            return
        if claim.negated:
            if facts.may_share(claim.negated.keys(), 1 / len(claim.negated)):
                yield from self._negated_by_claim()
        elif candidates:
            yield from self._negated_by_fact(candidates)

    def _negated_by_claim(self) -> Iterator[Difference]:
        sentence, fact = self._nearest
        # A sentence with any negation may say the same in other words.
        if sentence is None or sentence.may_negate or not self._is_like(sentence):
            return
        for form, negation in self._claim.negated.items():
            if affirmed := sentence.spelling(form):
                if not any(each.negates(form) for each, _ in self._passages.negating):
                    yield Difference(ContradictionKind.NEGATION, negation, affirmed, fact)
                return

    def _negated_by_fact(self, candidates: frozenset[str]) -> Iterator[Difference]:
        is_affirmed = cache(self._is_affirmed)
        for sentence, fact in self._passages.negating:
            for form in filter(sentence.negates, sorted(candidates)):
                if self._is_like(sentence) and not is_affirmed(form):
                    affirmed, negation = self._claim.spelling(form) or "", sentence.negated[form]
                    yield Difference(ContradictionKind.NEGATION, affirmed, negation, fact)
                    return

    def _is_like(self, sentence: ParsedSentence) -> bool:
        content = self._claim.content
        return len(content & sentence.content) >= _ALIKE * len(content)

    def _is_affirmed(self, form: str) -> bool:
        return any(
            form in sentence.lower and form in sentence.content and form not in sentence.negated
            for sentence, _ in self._passages.all
        )
