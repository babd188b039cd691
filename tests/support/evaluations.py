"""Labelled answers and their evaluation."""

from groundwatch.launch.results.evaluate.evaluation import Evaluation, measure
from groundwatch.launch.results.evaluate.labelled_answers import Counts, LabelledAnswer, ScoredClaim
from groundwatch.schemas.answer import Label, LabelSpan
from groundwatch.schemas.verdict import Verdict


def a_labelled(
    *claim_scores: float,
    spans: tuple[LabelSpan, ...] | None = (),
    support: float | None = 0.9,
    is_unsupported: bool | None = None,
) -> LabelledAnswer:
    """An answer of claims of ten bytes each, with its label: unsupported where it has spans."""
    least = min(claim_scores, default=None)
    label = bool(spans) if is_unsupported is None else is_unsupported
    return LabelledAnswer(
        verdict=Verdict.LOW_GROUNDED if least is not None and least < 0.4 else Verdict.GROUNDED,
        support_score=support if claim_scores else None,
        min_claim_score=least,
        claims=tuple(
            ScoredClaim(10 * number, 10 * number + 10, score)
            for number, score in enumerate(claim_scores)
        ),
        cluster=f"{claim_scores} {spans}",
        checker="local" if claim_scores else None,
        engine=None,
        label=Label(is_unsupported=label, spans=spans),
    )


def measured(*answers: LabelledAnswer) -> Evaluation:
    """The statistics of these answers."""
    return measure(answers, Counts(), resamples=10)
