"""Rank answers by how bad they are."""

from groundwatch.schemas.enriched_answer import AnswerRow, EnrichedAnswer
from groundwatch.schemas.verdict import Verdict

SHOWN_ANSWERS = 20
"""A report shows so many answers by default, the worst ones."""

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

Badness = tuple[int, float, float]


def badness(answer: EnrichedAnswer | AnswerRow) -> Badness:
    """Rank an answer by its verdict, its least claim score and its support score.

    The worst answer has the highest rank. Answers without a score come after those with one.
    """
    claim, support = answer.min_claim_score, answer.support_score
    return (
        -_PLACES.get(answer.verdict, 1),
        -(_ABOVE_ALL_SCORES if claim is None else claim),
        -(support or 0.0),
    )
