"""From an answer and its check to the enriched record: verdict, scores and tags."""

from collections.abc import Iterator, Sequence

from schemas import Record
from schemas.answer import Answer
from schemas.checked_answer import CheckedAnswer, Claim, Contradiction, Decision, Grounding
from schemas.enriched_answer import EnrichedAnswer
from schemas.verdict import ContradictionKind, Tag, Verdict
from transforms.contradictions.find_contradictions import find_mismatches
from transforms.rules import verdicts
from transforms.rules.generator_view import (
    CitedFacts,
    compare_citations,
    with_generator_scores,
)
from transforms.rules.routing import policy_reasons, routing_tags


class Thresholds(Record, frozen=True, kw_only=True):
    """Where the lines are drawn; a score equal to its threshold is not low.

    Attributes:
      low_grounded: 0..1, for the support score.
      claim: 0..1, for each claim that required a check.
      drift: 0..1, for the distance between the generator's own score and the check's.
    """

    low_grounded: float = 0.6
    claim: float = 0.4
    drift: float = 0.3


_KEPT = (
    "record_id",
    "answer_name",
    "source_format",
    "engine",
    "session",
    "event_time_us",
    "query",
    "answer_text",
    "generator_grounding_score",
    "answerable_probability",
    "safety_ratings",
    "facts",
)
"""What an enriched record has of its answer as it is."""


def tag_answer(checked: CheckedAnswer, thresholds: Thresholds) -> EnrichedAnswer:
    """Make of an answer the record to be written, with its verdict and tags.

    Args:
      checked: the answer with its check, or with a decision that made one needless.
      thresholds: where the lines are drawn.
    """
    answer, grounding = checked.answer, checked.grounding
    claims = _claims(answer, grounding)
    support_score = grounding.support_score if grounding else None
    min_claim_score = min(grounding.required_scores, default=None) if grounding else None
    drift = _drift(answer.generator_grounding_score, support_score)
    decision = checked.decision or judge(support_score, min_claim_score, thresholds)
    cited = compare_citations(answer.citations, claims)
    mismatches = find_mismatches(claims, answer.facts)
    tags = {
        *answer.tags,
        *routing_tags(answer),
        *_check_tags(grounding, drift, thresholds),
        *_comparison_tags(cited, mismatches),
    }
    kept = {name: getattr(answer, name) for name in _KEPT}
    return EnrichedAnswer(
        **kept,
        verdict=decision.verdict,
        verdict_reason=decision.reason,
        tags=tuple(sorted(tags)),
        support_score=support_score,
        min_claim_score=min_claim_score,
        score_drift=drift,
        skip_reasons=(*answer.skip_reasons, *policy_reasons(answer)),
        claims=claims,
        check=checked.check,
        citation_precision=cited.precision,
        citation_recall=cited.recall,
        mismatches=mismatches,
        generator_citations=answer.citations,
        generator_supports=answer.supports,
    )


def judge(
    support_score: float | None, min_claim_score: float | None, thresholds: Thresholds
) -> Decision:
    """Give a checked answer its verdict.

    Args:
      support_score: 0..1, of the whole answer; None where the check gave none.
      min_claim_score: 0..1, of the claim that is supported least; None without any.
      thresholds: where the lines are drawn.

    Returns:
      GROUNDED or LOW_GROUNDED; UNSCORABLE without any score.
    """
    if min_claim_score is not None and min_claim_score < thresholds.claim:
        return Decision(verdict=Verdict.LOW_GROUNDED, reason=verdicts.CLAIM_SCORE)
    if support_score is not None and support_score < thresholds.low_grounded:
        return Decision(verdict=Verdict.LOW_GROUNDED, reason=verdicts.SUPPORT_SCORE)
    if support_score is None and min_claim_score is None:
        return Decision(verdict=Verdict.UNSCORABLE, reason=verdicts.NO_CLAIMS)
    return Decision(verdict=Verdict.GROUNDED, reason=verdicts.ABOVE_THRESHOLDS)


def _claims(answer: Answer, grounding: Grounding | None) -> tuple[Claim, ...]:
    claims = grounding.claims if grounding else ()
    return tuple(with_generator_scores(claims, answer.supports)) if answer.supports else claims


def _check_tags(
    grounding: Grounding | None, drift: float | None, thresholds: Thresholds
) -> Iterator[Tag]:
    if grounding is None:
        return
    if grounding.recombined:
        yield Tag.RECOMBINED
    if any(score < thresholds.claim for score in grounding.required_scores):
        yield Tag.UNSUPPORTED_CLAIM
    if drift is not None and abs(drift) > thresholds.drift:
        yield Tag.SCORE_DRIFT


def _comparison_tags(cited: CitedFacts, mismatches: Sequence[Contradiction]) -> Iterator[Tag]:
    if cited.mismatch:
        yield Tag.CITATION_MISMATCH
    for mismatch in mismatches:
        yield ContradictionKind(mismatch.kind).tag


def _drift(generator_score: float | None, support_score: float | None) -> float | None:
    if generator_score is None or support_score is None:
        return None
    return generator_score - support_score
