"""From judged answers to the statistics of their scores."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from launch.evaluate.evaluation import Counts, Evaluation, Quality, SpanKind
from launch.evaluate.scored import JudgedAnswer, ScoredClaim
from launch.evaluate.statistics.calibration import calibrate
from launch.evaluate.statistics.example import Example
from launch.evaluate.statistics.flagging import Flagged, best_f1, flag_below, share_out
from launch.evaluate.statistics.ranking import measure_auroc
from schemas.label import Span
from schemas.verdict import Verdict

CLAIM_THRESHOLDS = (0.2, 0.3, 0.4, 0.6)
SUPPORT_THRESHOLDS = (0.6, 0.8, 0.9)
"""Fixed before any answer is seen; the defaults are 0.4 for a claim and 0.6 for an answer."""

_MIN_OVERLAP_BYTES = 2
"""What a label's span and a claim must share, as in RAGTruth's own evaluation of sentences."""


def measure(judged: Sequence[JudgedAnswer], counts: Counts, resamples: int) -> Evaluation:
    """Measure how well scores agree with labels.

    Args:
      judged: the answers that have a label.
      counts: who took part.
      resamples: how often clusters are drawn anew for an interval.

    Returns:
      The statistics; an answer without a score counts as never flagged.
    """
    marked = [(each, each.label.spans) for each in judged if each.label.spans is not None]
    claims = [example for each, spans in marked for example in _claim_examples(each, spans)]
    return Evaluation(
        counts=counts,
        checkers=dict(Counter(each.scored.checker or "none" for each in judged).most_common()),
        answers_by_claim=_quality(
            [_example(each, each.scored.min_claim_score) for each in judged],
            CLAIM_THRESHOLDS,
            resamples,
        ),
        answers_by_support=_quality(
            [_example(each, each.scored.support_score) for each in judged],
            SUPPORT_THRESHOLDS,
            resamples,
        ),
        low_grounded=_low_grounded(judged),
        claims=_quality(claims, CLAIM_THRESHOLDS, resamples) if marked else None,
        span_kinds=tuple(_span_kinds(judged, claims, resamples)),
    )


def _example(judged: JudgedAnswer, score: float | None) -> Example:
    return Example(score, judged.label.is_unsupported, judged.scored.source)


def _claim_examples(judged: JudgedAnswer, spans: Iterable[Span]) -> Iterator[Example]:
    for claim in judged.scored.claims:
        is_unsupported = any(_overlaps(claim, span) for span in spans)
        yield Example(claim.score, is_unsupported, judged.scored.source)


def _overlaps(claim: ScoredClaim, span: Span) -> bool:
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


def _low_grounded(judged: Sequence[JudgedAnswer]) -> Flagged:
    examples = [_example(each, each.scored.min_claim_score) for each in judged]
    low = [each for each in judged if each.scored.verdict == Verdict.LOW_GROUNDED]
    hits = sum(each.label.is_unsupported for each in low)
    return share_out(None, len(low), hits, examples)


def _span_kinds(
    judged: Sequence[JudgedAnswer], claims: Sequence[Example], resamples: int
) -> Iterator[SpanKind]:
    supported = [claim for claim in claims if not claim.is_unsupported]
    kinds = Counter(span.kind for each in judged for span in each.label.spans or ())
    for kind, spans in kinds.most_common():
        own = [
            (each, [span for span in each.label.spans or () if span.kind == kind])
            for each in judged
        ]
        yield _span_kind(kind, spans, own, supported, resamples)


def _span_kind(
    kind: str,
    spans: int,
    own: Iterable[tuple[JudgedAnswer, Sequence[Span]]],
    supported: Sequence[Example],
    resamples: int,
) -> SpanKind:
    hit, unchecked = [], 0
    for judged, marked in own:
        hit += [each for each in _claim_examples(judged, marked) if each.is_unsupported]
        unchecked += sum(
            not any(_overlaps(claim, span) for claim in judged.scored.claims) for span in marked
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
