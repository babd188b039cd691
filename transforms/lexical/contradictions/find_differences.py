"""Find what contradicts a fact: a claim that stands nearly verbatim in one of its sentences.

It differs in a number, a date or a unit, or denies what the sentence states.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from operator import itemgetter

from groundwatch.schemas.verdict import ContradictionKind
from groundwatch.transforms.lexical.facts.fact_sentences import (
    VALUE_STEMS,
    FactSentences,
    sentences_of,
    stem_of,
)
from groundwatch.transforms.lexical.language.modality import NEUTRAL
from groundwatch.transforms.lexical.language.negations import (
    CONTRACTED,
    NEGATING,
    NEGATING_IN_CJK,
    negating_words,
)
from groundwatch.transforms.lexical.language.words import NEGATION, VALUE, ClaimWords, form_of
from groundwatch.transforms.lexical.values.limits import LIMIT_WORDS
from groundwatch.transforms.lexical.values.value import Value
from .denials import DENIED, SIMILAR, find_denial, part_about_the_same
from .difference import ComparedClaim, ComparedFacts, Difference
from .differing_values import NEAR, Near, find_opposite_limits, find_other_units, find_other_values
from .joined_clauses import clauses_of, statements_about
from .values_of_others import find_values_of_others

_ALIKE = 0.5
"""A sentence with this share of a claim's words is about the same, and may confirm its values."""

_MAX_SENTENCES = _MAX_FACTS = 8
"""Of the sentences and facts with most of a claim's words, so many are compared. This bounds the
time."""

_NO_WORDS = LIMIT_WORDS | NEGATING | CONTRACTED | NEGATING_IN_CJK | NEUTRAL | {"longer"}
_MAYBE_NO_WORDS = VALUE_STEMS.union(map(stem_of, map(form_of, _NO_WORDS)))
_MIN_CLAUSE_TOKENS, MAX_CLAIM_TOKENS = 3, 128
"""Of a claim and its clauses; a longer claim is not compared, and the reply says so."""
_TITLE = re.compile(r"\s\([A-Z\u00c0-\u00de][^()\d]{2,60}\)[\s.!]{0,3}\Z")
"""What stands in brackets behind a statement, with a capital, may be the title of its source."""


def find_differences(
    claim: ClaimWords, facts: Sequence[str], candidates: Sequence[int], premises: Sequence[Value]
) -> list[Difference]:
    """Find where a claim differs from the candidates among the facts, by the first search.

    The values of the question are premises, which no fact contradicts.
    """
    if len(claim.forms) > MAX_CLAIM_TOKENS or not candidates:
        return []
    distinct: dict[str, int] = {}
    for number in candidates:
        distinct.setdefault(facts[number], number)
    nearest = list(islice(distinct.items(), _MAX_FACTS))
    bare = claim.text.strip(" .!*_")
    if any(_stands_in(bare, fact) for fact, _ in nearest):
        return []
    compared = ComparedClaim(claim, premises)
    read = [(number, sentences_of(fact)) for fact, number in nearest]
    found = list(_differences_from_near(compared, read))
    found = found or list(find_values_of_others(compared, read))
    if found := found or list(_denials_of_clauses(claim, read)):
        return found
    title = _TITLE.search(claim.text) if ")" in claim.text[-4:] else None
    if not title:
        return []
    stated = ClaimWords.of(claim.text[: title.start()])
    return find_differences(stated, facts, candidates, premises)


def _differences_from_near(claim: ComparedClaim, facts: ComparedFacts) -> Iterator[Difference]:
    """Find what a claim changes or denies of the sentences with most of its words."""
    sentences = [each for _, each in facts]
    if _may_differ(claim, sentences):
        near = _near(claim, facts, VALUE) if claim.signs & VALUE else []
        changed = list(find_other_values(claim, near, sentences))
        changed = changed or list(find_opposite_limits(claim, near))
        changed = changed or list(find_other_units(claim, near, sentences))
        yield from changed or _denials(claim, _near(claim, facts))


def _denials_of_clauses(claim: ClaimWords, facts: ComparedFacts) -> Iterator[Difference]:
    """Find what the nearest sentences deny of a claim's clauses; skip those that one states."""
    sentences = [each for _, each in facts]
    if not (claim.signs & NEGATION or any(each.with_signs(NEGATION) for each in sentences)):
        return
    for text in clauses_of(claim.text):
        # No denial depends on the values of the question.
        clause = ComparedClaim(ClaimWords.of(text), premises=())
        if len(clause.words.forms) >= _MIN_CLAUSE_TOKENS and _may_differ(clause, sentences):
            near = _near(clause, facts)
            if not any(_has_clause(each.sentence.text, text) for each in near):
                yield from _denials(clause, near)


def _has_clause(sentence: str, clause: str) -> bool:
    """Return whether a sentence has a clause in whole words, with its first letter in any case."""
    if clause[1:] not in sentence:
        return False
    first, rest = map(re.escape, (clause[:1], clause[1:]))
    return re.search(rf"(?<!\w)(?i:{first}){rest}(?!\w)", sentence) is not None


def _near(claim: ComparedClaim, facts: ComparedFacts, signs: int = 0) -> list[Near]:
    """Return the sentences with most of a claim's words, and with signs, the nearest first."""
    words = frozenset(claim.places)
    near = [
        (rank, number, sentences.read(place))
        for number, sentences in facts
        for rank, place in sentences.near(words, _ALIKE, signs, claim.plain_numbers)
    ]
    near.sort(key=itemgetter(0), reverse=True)
    return [Near(rank[0], number, sentence) for rank, number, sentence in near[:_MAX_SENTENCES]]


def _may_differ(claim: ComparedClaim, facts: Iterable[FactSentences]) -> bool:
    """Return whether a near sentence has other values or negations; a fast test."""
    stems = claim.stems
    words = stems - _MAYBE_NO_WORDS or stems
    if not words:
        return False
    # A claim without negations and values can only be what a sentence denies.
    relevant = 0 if claim.signs & NEGATION else NEGATION | claim.signs & VALUE
    is_bare = words == stems and not claim.signs & (NEGATION | VALUE)
    maybe = len(stems) - len(words)
    alike, similar, near = (
        _least_share(share, len(words), maybe) for share in (_ALIKE, SIMILAR, NEAR)
    )
    denied = DENIED if is_bare else similar
    least = alike if claim.signs & VALUE else denied
    for each in facts:
        for (share, *_), place in each.near(words, least, relevant, claim.numbers):
            signs = each.signs[place]
            if (
                share >= denied
                and (claim.signs | signs) & NEGATION
                and (
                    not claim.signs & signs & NEGATION
                    or len(each.contents[place]) > len(claim.words.distinct)
                    or negating_words(claim.text) != negating_words(each.texts[place])
                )
            ):
                return True
            if (
                claim.signs & signs & VALUE
                and (share >= near or claim.may_have_other_units(each, place))
                and not claim.has_values_of(each, place)
            ):
                return True
    return False


def _least_share(share: float, words: int, maybe: int) -> float:
    """Return which share of words a sentence has at least that has a share of these and of others.

    The others may be words, and may be parts of values and negations.
    """
    return share - (1 - share) * maybe / words


def _stands_in(claim: str, fact: str) -> bool:
    place = fact.find(claim)
    if place < 0:
        return False
    before = fact[:place].rstrip(" ")
    return not before or before[-1] in ".!?\n:"


def _denials(claim: ComparedClaim, near: Sequence[Near]) -> Iterator[Difference]:
    """Find what the nearest sentence about the same denies."""
    similar = [each for each in near if each.share >= SIMILAR]
    if not any((claim.signs | each.sentence.signs) & NEGATION for each in similar):
        return
    for each in similar:
        for sentence in chain(statements_about(claim, each.sentence), [each.sentence]):
            if part := part_about_the_same(claim, sentence):
                if found := find_denial(claim, sentence, part):
                    yield Difference(ContradictionKind.NEGATION, *found, each.fact)
                return
