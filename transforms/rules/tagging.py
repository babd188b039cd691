"""From an answer and its check to the enriched record: verdict, scores and tags."""

from collections.abc import Iterator

from schemas.answer import Answer
from schemas.checked import CheckedAnswer, Claim, Decision, Grounding
from schemas.enriched import EnrichedAnswer
from schemas.record import Record
from schemas.verdict import Tag, Verdict
from transforms.rules import verdicts
from transforms.rules.numbers import unmatched_numbers
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


def tag_answer(checked: CheckedAnswer, thresholds: Thresholds) -> EnrichedAnswer:
    """Give an answer its verdict and tags.

    Args:
      checked: the answer with its check, or with a decision that made one needless.
      thresholds: where the lines are drawn.

    Returns:
      The record to be written.
    """
    answer, grounding = checked.answer, checked.grounding
    support_score = grounding.support_score if grounding else None
    min_claim_score = min(grounding.required_scores, default=None) if grounding else None
    drift = _drift(answer.generator_grounding_score, support_score)
    decision = checked.decision or _judge(support_score, min_claim_score, thresholds)
    check_tags = _check_tags(answer, grounding, drift, thresholds)
    return EnrichedAnswer(
        record_id=answer.record_id,
        answer_name=answer.answer_name,
        source_format=answer.source_format,
        engine=answer.engine,
        session=answer.session,
        event_time_us=answer.event_time_us,
        query=answer.query,
        answer_text=answer.answer_text,
        verdict=decision.verdict,
        verdict_reason=decision.reason,
        tags=tuple(sorted({*answer.tags, *routing_tags(answer), *check_tags})),
        support_score=support_score,
        min_claim_score=min_claim_score,
        generator_grounding_score=answer.generator_grounding_score,
        score_drift=drift,
        answerable_probability=answer.answerable_probability,
        skip_reasons=(*answer.skip_reasons, *policy_reasons(answer)),
        safety_ratings=answer.safety_ratings,
        claims=grounding.claims if grounding else (),
        facts=answer.facts,
        check=checked.check,
    )


def _judge(
    support_score: float | None, min_claim_score: float | None, thresholds: Thresholds
) -> Decision:
    if min_claim_score is not None and min_claim_score < thresholds.claim:
        return Decision(verdict=Verdict.LOW_GROUNDED, reason=verdicts.CLAIM_SCORE)
    if support_score is not None and support_score < thresholds.low_grounded:
        return Decision(verdict=Verdict.LOW_GROUNDED, reason=verdicts.SUPPORT_SCORE)
    if support_score is None and min_claim_score is None:
        return Decision(verdict=Verdict.UNSCORABLE, reason=verdicts.NO_CLAIMS)
    return Decision(verdict=Verdict.GROUNDED, reason=verdicts.ABOVE_THRESHOLDS)


def _check_tags(
    answer: Answer, grounding: Grounding | None, drift: float | None, thresholds: Thresholds
) -> Iterator[Tag]:
    if grounding is None:
        return
    if grounding.recombined:
        yield Tag.RECOMBINED
    if any(score < thresholds.claim for score in grounding.required_scores):
        yield Tag.UNSUPPORTED_CLAIM
    if any(_cites_another_fact(answer, claim) for claim in grounding.claims):
        yield Tag.CITATION_MISMATCH
    if _states_another_number(answer, grounding):
        yield Tag.NUMBER_MISMATCH
    if drift is not None and abs(drift) > thresholds.drift:
        yield Tag.SCORE_DRIFT


def _cites_another_fact(answer: Answer, claim: Claim) -> bool:
    """Tell whether the answer cites facts for a claim, and only others support it."""
    cited = {
        fact
        for citation in answer.citations
        if citation.start < claim.end and claim.start < citation.end
        for fact in citation.facts
    }
    return bool(cited) and bool(claim.citations) and cited.isdisjoint(claim.citations)


def _states_another_number(answer: Answer, grounding: Grounding) -> bool:
    """Tell whether a claim that required a check states a number that no fact does."""
    claims = (claim.text for claim in grounding.claims if claim.required_score is not None)
    facts = (text for fact in answer.facts for text in (fact.text, *fact.attributes.values()))
    return bool(unmatched_numbers(claims, facts))


def _drift(generator_score: float | None, support_score: float | None) -> float | None:
    if generator_score is None or support_score is None:
        return None
    return generator_score - support_score
