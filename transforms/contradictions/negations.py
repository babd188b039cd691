"""Find what only the claim or only a similar sentence of the facts denies."""

from collections.abc import Iterator
from functools import cache

from schemas.verdict import ContradictionKind
from transforms.contradictions.antonyms import ANTONYMS
from transforms.contradictions.comparison import Comparison
from transforms.contradictions.parsed_sentence import NEGATION, denials_in, has_negation
from transforms.contradictions.passages import Difference, NearSentence
from transforms.rules.phrases import refuses

# The share of a claim's words that a sentence must have for a negation to be the difference.
_ALIKE = 0.6
_MIN_WORDS = 2  # beside the negated word
# The share of the claim's other words in a sentence that states what the claim denies, and in one
# that denies something itself and so may agree with the claim.
_STATED, _DENIED = 0.6, 0.5


def find_negations(comparison: Comparison) -> Iterator[Difference]:
    """Find a word that only the claim or only the fact negates, in similar sentences."""
    claim, facts = comparison.claim, comparison.facts
    candidates = frozenset() if claim.may_negate else facts.maybe_negated(claim)
    if claim.features.kinds & NEGATION and claim.negated:
        yield from _negated_by_claim(comparison)
    elif candidates:
        yield from _negated_by_fact(comparison, candidates)


def _negated_by_claim(comparison: Comparison) -> Iterator[Difference]:
    nearest = comparison.nearest
    # A sentence with any negation may say the same in other words.
    if not nearest or not _is_alike(nearest, comparison) or nearest.sentence.may_negate:
        return
    for form, negation in comparison.claim.negated.items():
        if affirmed := nearest.sentence.spelling(form):
            if all(form not in each.negated for each in comparison.sentences.with_word(form)):
                yield Difference(ContradictionKind.NEGATION, negation, affirmed, nearest.fact)
            return


def _negated_by_fact(comparison: Comparison, candidates: frozenset[str]) -> Iterator[Difference]:
    claim, sentences = comparison.claim, comparison.sentences

    @cache
    def is_affirmed(form: str) -> bool:
        return any(form not in each.negated for each in sentences.with_word(form))

    for near in comparison.near:
        negated = near.sentence.negated if _is_alike(near, comparison) else {}
        for form in sorted(candidates & negated.keys()):
            if not is_affirmed(form):
                affirmed = claim.spelling(form) or ""
                yield Difference(ContradictionKind.NEGATION, affirmed, negated[form], near.fact)
                return


def _is_alike(near: NearSentence, comparison: Comparison) -> bool:
    return near.shared >= _ALIKE * len(comparison.claim.content)


def find_denial(comparison: Comparison) -> Iterator[Difference]:
    """Find a negation that no similar sentence has; the verb may have another form.

    Such a contradiction only tags an answer. It does not change a score.
    """
    claim = comparison.claim
    form, text = next(iter(claim.negated.items()), ("", ""))
    if not form or len(claim.content) <= _MIN_WORDS:
        return
    nearest = _nearest_statement(comparison, form)
    if nearest is None or comparison.facts.has_sentence(claim.text) or refuses(claim.text):
        return
    value = nearest.sentence.spelling(form) or nearest.sentence.text
    yield Difference(ContradictionKind.NEGATION, text, value, nearest.fact)


def _nearest_statement(comparison: Comparison, form: str) -> NearSentence | None:
    """Return the sentence with most words beside the negated one; None if a similar one agrees."""
    words = len(comparison.claim.content) - 1
    denials = denials_in(comparison.claim.lower)
    opposites = ANTONYMS.get(form, frozenset())
    nearest, most = None, _STATED * words
    for near in comparison.near:
        lower, shared = near.sentence.lower, near.shared - (form in near.content)
        if shared < _DENIED * words:
            continue
        # "Without" may say what "not" says, but the claim has the same "without".
        if has_negation(lower) or not denials_in(lower) <= denials:
            return None
        # "Not late" may say what "early" says.
        if not opposites.isdisjoint(near.content):
            return None
        if shared >= most + (nearest is not None):
            nearest, most = near, shared
    return nearest
