"""From labelled answers to the statistics of their scores."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from launch.evaluate.evaluation import Counts, Evaluation, Quality, SpanKind
from launch.evaluate.scored import LabelledAnswer, ScoredClaim
from launch.evaluate.statistics.calibration import calibrate
from launch.evaluate.statistics.example import Example
from launch.evaluate.statistics.flagging import Flagged, best_f1, flag_below, share_out
from launch.evaluate.statistics.ranking import measure_auroc
from schemas.answer import LabelSpan
from schemas.verdict import Verdict

CLAIM_THRESHOLDS = (0.2, 0.3, 0.4, 0.6)
SUPPORT_THRESHOLDS = (0.6, 0.8, 0.9)
"""Fixed before any answer is seen; the defaults are 0.4 for a claim and 0.6 for an answer."""

_MIN_OVERLAP_BYTES = 2
"""What a label's span and a claim must share, as in RAGTruth's own evaluation of sentences."""


def measure(labelled: Sequence[LabelledAnswer], counts: Counts, resamples: int) -> Evaluation:
    """Measure how well scores agree with labels.

    Args:
      labelled: the answers that have a label.
      counts: who took part.
      resamples: how often clusters are drawn anew for an interval.

    Returns:
      The statistics; an answer without a score counts as never flagged.
    """
    by_claim = [_example(each, each.scored.min_claim_score) for each in labelled]
    by_support = [_example(each, each.scored.support_score) for each in labelled]
    marked = [(each, each.label.spans) for each in labelled if each.label.spans is not None]
    claims = [example for each, spans in marked for example in _claim_examples(each, spans)]
    return Evaluation(
        counts=counts,
        checkers=dict(Counter(each.scored.checker or "none" for each in labelled).most_common()),
        answers_by_claim=_quality(by_claim, CLAIM_THRESHOLDS, resamples),
        answers_by_support=_quality(by_support, SUPPORT_THRESHOLDS, resamples),
        low_grounded=_low_grounded(labelled, by_claim),
        claims=_quality(claims, CLAIM_THRESHOLDS, resamples) if marked else None,
        span_kinds=tuple(_span_kinds(labelled, claims, resamples)),
    )


def _example(answer: LabelledAnswer, score: float | None) -> Example:
    return Example(score, answer.label.is_unsupported, answer.scored.cluster)


def _claim_examples(answer: LabelledAnswer, spans: Iterable[LabelSpan]) -> Iterator[Example]:
    for claim in answer.scored.claims:
        is_unsupported = any(_overlaps(claim, span) for span in spans)
        yield Example(claim.score, is_unsupported, answer.scored.cluster)


def _overlaps(claim: ScoredClaim, span: LabelSpan) -> bool:
    return min(claim.end, span.end) - max(claim.start, span.start) >= _MIN_OVERLAP_BYTES


def _quality(examples: Sequence[Example], thresholds: Sequence[float], resamples: int) -> Quality:
    unsupported = sum(example.is_unsupported for example in examples)
    return Quality(
        supported=len(examples) - unsupported,
        unsupported=unsupported,
        auroc=measure_auroc(examples, resamples),
        best=best_f1(examples),
        at=tuple(flag_below(examples, threshold) for threshold in thresholds),
        calibration=calibrate(examples),
    )


def _low_grounded(labelled: Sequence[LabelledAnswer], examples: Sequence[Example]) -> Flagged:
    low = [each for each in labelled if each.scored.verdict == Verdict.LOW_GROUNDED]
    hits = sum(each.label.is_unsupported for each in low)
    return share_out(None, len(low), hits, examples)


def _span_kinds(
    labelled: Sequence[LabelledAnswer], claims: Sequence[Example], resamples: int
) -> Iterator[SpanKind]:
    supported = [claim for claim in claims if not claim.is_unsupported]
    kinds = Counter(span.kind for each in labelled for span in each.label.spans or ())
    for kind, spans in kinds.most_common():
        own = [
            (each, [span for span in each.label.spans or () if span.kind == kind])
            for each in labelled
        ]
        yield _span_kind(kind, spans, own, supported, resamples)


def _span_kind(
    kind: str,
    spans: int,
    own: Iterable[tuple[LabelledAnswer, Sequence[LabelSpan]]],
    supported: Sequence[Example],
    resamples: int,
) -> SpanKind:
    hit, unchecked = [], 0
    for answer, marked in own:
        hit += [each for each in _claim_examples(answer, marked) if each.is_unsupported]
        unchecked += sum(
            not any(_overlaps(claim, span) for claim in answer.scored.claims) for span in marked
        )
    return SpanKind(
        kind=kind,
        spans=spans,
        unchecked=unchecked,
        claims=len(hit),
        auroc=measure_auroc([*supported, *hit], resamples),
        found={
            f"{threshold:g}": share
            for threshold in CLAIM_THRESHOLDS
            if (share := flag_below(hit, threshold).share) is not None
        },
    )
