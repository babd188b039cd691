"""Evaluate scores against labels."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from msgspec.structs import asdict, replace

from groundwatch.launch.results.shares import Interval
from groundwatch.schemas import Record
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.lexical.scores.weighted_sum import scored_by
from . import statistics
from .labelled_answers import Counts, LabelledAnswer

# Independent of the answers; the defaults are 0.4 for a claim and 0.6 for an answer.
CLAIM_THRESHOLDS = (0.2, 0.3, 0.4, 0.6)
SUPPORT_THRESHOLDS = (0.6, 0.8, 0.9)
WORST_SHARES = (0.05, 0.1, 0.2)
_UNEQUAL = 1.25  # times as many of the one verdict's answers have a label as of the other's
_DRAW = "label answers that `groundwatch review` draws at random"


class ScoreQuality(Record, frozen=True, kw_only=True):
    """How well one score separates supported from unsupported examples, at some thresholds."""

    supported: int
    unsupported: int
    auroc: Interval | None
    best: statistics.Flagged | None
    at: tuple[statistics.Flagged, ...]
    calibration: statistics.Calibration | None


class AnswerQuality(ScoreQuality, frozen=True, kw_only=True):
    """The same for answers, and what is found by reading those that score lowest."""

    worst: tuple[statistics.WorstScored, ...]


class WeightQuality(Record, frozen=True, kw_only=True):
    """How well the embedded checker scores by words, by a model, or by both.

    Attributes:
      scored_by: such as ``words``, ``words and 1 * model`` and ``model``.
      auroc: of the answers by their lowest claim.
      difference: of the area to that of the words.
      verdicts: precision and recall of the verdict LOW_GROUNDED.
    """

    scored_by: str
    auroc: Interval | None
    difference: Interval | None
    verdicts: statistics.PrecisionRecall


class Evaluation(Record, frozen=True, kw_only=True):
    """How well scores agree with labels; the fields of the command's JSON.

    Attributes:
      verdicts: precision and recall of the verdict LOW_GROUNDED.
      unknown_recall: why these labels give no recall, nor F1; None if they do.
      unequal_labels: what the recall is of, if labels are not in the proportions of all answers.
      by_weight: the embedded checker alone by words, by both and by its model, if it has one.
    """

    counts: Counts
    checkers: dict[str, int]
    answers_by_claim: AnswerQuality
    answers_by_support: AnswerQuality
    low_grounded: statistics.Flagged
    verdicts: statistics.PrecisionRecall
    claims: ScoreQuality | None
    unknown_recall: str | None
    unequal_labels: str | None
    by_weight: tuple[WeightQuality, ...] = ()


def measure(
    labelled: Sequence[LabelledAnswer],
    counts: Counts,
    resamples: int,
    unlabelled: Mapping[str, int] = {},
    by_weight: Mapping[float, Sequence[LabelledAnswer]] = {},
) -> Evaluation:
    """Measure how well scores agree with labels, with intervals of so many resamples.

    `unlabelled` are the answers without a label by their verdict: labels that people chose by the
    verdict give no recall. `by_weight` are the answers as checked with each weight of a model.
    """
    given = [each.verdict for each in labelled]
    unknown = unknown_recall(given, unlabelled)
    by_claim = answer_examples(labelled)
    by_support = answer_examples(labelled, "support_score")
    with_spans = [each for each in labelled if each.label.spans is not None]
    claims = [example for each in with_spans for example in _claim_examples(each)]
    flags = [each.is_flagged for each in labelled]
    verdicts = statistics.measure_flags(by_claim, flags, resamples)
    evaluation = Evaluation(
        counts=counts,
        checkers=dict(Counter(each.checker or "none" for each in labelled).most_common()),
        answers_by_claim=_answer_quality(by_claim, CLAIM_THRESHOLDS, resamples),
        answers_by_support=_answer_quality(by_support, SUPPORT_THRESHOLDS, resamples),
        low_grounded=statistics.flagged_of(None, sum(flags), verdicts.hits, by_claim),
        verdicts=verdicts,
        claims=_quality(claims, CLAIM_THRESHOLDS, resamples) if with_spans else None,
        unknown_recall=unknown,
        unequal_labels=unequal_labels(given, unlabelled),
        by_weight=tuple(_weight_qualities(by_weight, resamples)),
    )
    return _without_recall(evaluation) if unknown else evaluation


def _weight_qualities(
    by_weight: Mapping[float, Sequence[LabelledAnswer]], resamples: int
) -> Iterator[WeightQuality]:
    words = answer_examples(by_weight.get(0.0, ()))
    for weight, labelled in by_weight.items():
        examples = answer_examples(labelled)
        flags = [each.is_flagged for each in labelled]
        yield WeightQuality(
            scored_by=scored_by(weight),
            auroc=statistics.measure_auroc(examples, resamples),
            difference=statistics.measure_auroc_difference(examples, words, resamples),
            verdicts=statistics.measure_flags(examples, flags, resamples),
        )


def _without_recall(evaluation: Evaluation) -> Evaluation:
    def masked(quality: ScoreQuality) -> ScoreQuality:
        at = tuple(replace(each, recall=None, f1=None) for each in quality.at)
        return replace(quality, best=None, at=at)

    return replace(
        evaluation,
        answers_by_claim=masked(evaluation.answers_by_claim),
        answers_by_support=masked(evaluation.answers_by_support),
        low_grounded=replace(evaluation.low_grounded, recall=None, f1=None),
        verdicts=replace(evaluation.verdicts, recall=None),
        claims=evaluation.claims and masked(evaluation.claims),
        by_weight=tuple(
            replace(each, verdicts=replace(each.verdicts, recall=None))
            for each in evaluation.by_weight
        ),
    )


def answer_examples(
    labelled: Sequence[LabelledAnswer],
    score: Literal["min_claim_score", "support_score"] = "min_claim_score",
) -> list[statistics.Example]:
    """Return the answers with one of their scores, by default that of the lowest claim."""
    return [
        statistics.Example(getattr(each, score), each.label.is_unsupported, each.cluster)
        for each in labelled
    ]


def _claim_examples(answer: LabelledAnswer) -> Iterator[statistics.Example]:
    for claim in answer.claims:
        is_unsupported = answer.label.is_unsupported_at(claim.start, claim.end)
        if is_unsupported is not None:
            yield statistics.Example(claim.score, is_unsupported, answer.cluster)


def _answer_quality(
    examples: Sequence[statistics.Example], thresholds: Sequence[float], resamples: int
) -> AnswerQuality:
    worst = statistics.measure_worst(examples, WORST_SHARES, resamples)
    return AnswerQuality(**asdict(_quality(examples, thresholds, resamples)), worst=worst)


def _quality(
    examples: Sequence[statistics.Example], thresholds: Sequence[float], resamples: int
) -> ScoreQuality:
    unsupported = sum(example.is_unsupported for example in examples)
    return ScoreQuality(
        supported=len(examples) - unsupported,
        unsupported=unsupported,
        auroc=statistics.measure_auroc(examples, resamples),
        best=statistics.best_f1(examples),
        at=tuple(statistics.flag_below(examples, threshold) for threshold in thresholds),
        calibration=statistics.measure_calibration(examples),
    )


def unknown_recall(labelled: Iterable[str], unlabelled: Mapping[str, int]) -> str | None:
    """Say why labels give no recall; None if they do.

    Args:
      labelled: the verdict of each answer with a label.
      unlabelled: how many answers without one have each verdict.
    """
    found = Counter(labelled)
    flagged, passed = found[Verdict.LOW_GROUNDED], unlabelled.get(Verdict.GROUNDED, 0)
    if not flagged or found[Verdict.GROUNDED] or not passed:
        return None
    return (
        f"recall is unknown: {flagged:,} LOW_GROUNDED answers have a label, and none of the"
        f" {passed:,} GROUNDED ones, of which some may be unsupported: {_DRAW}"
    )


def unequal_labels(labelled: Iterable[str], unlabelled: Mapping[str, int]) -> str | None:
    """Say that labels are not in the proportions of all answers; None if they are.

    The arguments are those of `unknown_recall`.
    """
    found = Counter(labelled)
    verdicts = (Verdict.LOW_GROUNDED, Verdict.GROUNDED)
    totals = [found[each] + unlabelled.get(each, 0) for each in verdicts]
    if not all(found[each] for each in verdicts):
        return None
    flagged, passed = (found[each] / total for each, total in zip(verdicts, totals, strict=True))
    if 1 / _UNEQUAL <= flagged / passed <= _UNEQUAL:
        return None
    parts = (
        f"{found[each]:,} of {total:,} {each.value}"
        for each, total in zip(verdicts, totals, strict=True)
    )
    return (
        f"{' and '.join(parts)} answers have a label: the recall is that of the labelled answers,"
        f" not of all; the page of `groundwatch review` estimates it from answers drawn at random"
    )
