"""Rank answers by how bad they are."""

from groundwatch.schemas.enriched_answer import AnswerRow, EnrichedAnswer
from groundwatch.schemas.verdict import Verdict

SHOWN_ANSWERS = 1_000
"""A report shows so many low-grounded answers by default, the worst ones."""

_FROM_WORST = (
    Verdict.LOW_GROUNDED,
    Verdict.POLICY_SKIPPED,
    Verdict.GENERATION_FAILED,
    Verdict.INCOMPLETE,
    Verdict.UNSCORABLE,
    Verdict.NOT_ANSWERED,
    Verdict.GROUNDED,
)
_PLACES = {str(verdict): place for place, verdict in enumerate(_FROM_WORST)}
_ABOVE_ALL_SCORES = 2.0

Badness = tuple[int, bool, float, float]


def badness(answer: EnrichedAnswer | AnswerRow) -> Badness:
    """Rank an answer by its verdict, whether it contradicts a fact, and its scores.

    The worst answer has the highest rank. The least claim score counts before the support score.
    Answers without a score come after those with one.
    """
    claim, support = answer.min_claim_score, answer.support_score
    return (
        -_PLACES.get(answer.verdict, 1),
        any(each.fact is not None for each in answer.mismatches),
        -(_ABOVE_ALL_SCORES if claim is None else claim),
        -(support or 0.0),
    )
