"""What an evaluation finds: the members of its JSON."""

import msgspec

from launch.evaluate.statistics.calibration import Calibration
from launch.evaluate.statistics.flagging import Flagged
from launch.evaluate.statistics.ranking import Auroc
from schemas import Record


class Counts(Record, frozen=True, kw_only=True):
    """Who took part.

    Attributes:
      read: messages or records.
      unreadable: messages that hold no answer.
      failed: answers that could not be checked.
      unlabelled: answers of which nobody said anything, or which were read before; left out.
      labelled: answers with a label; the statistics are of these.
      unscored: labelled answers without a score, which are never flagged.
      labels_unmet: labels whose answer is not there.
    """

    read: int
    unreadable: int
    failed: int
    unlabelled: int
    labelled: int
    unscored: int
    labels_unmet: int


class Quality(Record, frozen=True, kw_only=True):
    """How well one score tells the supported from the unsupported.

    Attributes:
      supported, unsupported: how many examples are.
      auroc: None where one of the two is empty.
      best: at the threshold with the greatest F1, found in hindsight.
      at: at fixed thresholds.
      calibration: None where nothing is scored.
    """

    supported: int
    unsupported: int
    auroc: Auroc | None
    best: Flagged | None
    at: tuple[Flagged, ...]
    calibration: Calibration | None


class SpanKind(Record, frozen=True, kw_only=True):
    """How well the unsupported stretches of one kind are found.

    Attributes:
      kind: in the labels' words.
      spans: how many.
      unchecked: how many of them no checked claim overlaps: no threshold finds these.
      claims: the checked claims that overlap one.
      auroc: of these claims against all supported ones.
      found: the share of these claims below the threshold of each member of `Quality.at`.
    """

    kind: str
    spans: int
    unchecked: int
    claims: int
    auroc: Auroc | None
    found: dict[str, float]


class Evaluation(Record, frozen=True, kw_only=True):
    """How well scores agree with what people said.

    Attributes:
      checkers: who gave the scores, by how many of the labelled answers.
      answers_by_claim: each answer by its lowest claim.
      answers_by_support: each answer by its support score.
      low_grounded: what the verdict LOW_GROUNDED flags.
      claims: each claim that required a check; None where no label has spans.
      span_kinds: by kind, the most frequent first.
    """

    counts: Counts
    checkers: dict[str, int]
    answers_by_claim: Quality
    answers_by_support: Quality
    low_grounded: Flagged
    claims: Quality | None
    span_kinds: tuple[SpanKind, ...]


def evaluation_to_json(evaluation: Evaluation) -> bytes:
    """Write an evaluation as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(evaluation)) + b"\n"
