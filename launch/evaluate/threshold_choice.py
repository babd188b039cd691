"""Choose the threshold of LOW_GROUNDED that reaches a wanted precision or recall."""

from collections.abc import Sequence

from launch.evaluate import statistics
from launch.evaluate.evaluation import answer_examples
from launch.evaluate.labelled_answers import LabelledAnswer
from schemas import Record

CLAIM, SUPPORT = "claim_threshold", "low_grounded_threshold"


class ThresholdChoice(Record, frozen=True, kw_only=True):
    """The threshold that alone decides, 0..1, and what it does.

    Attributes:
      setting: the threshold of the lowest claim, or of the support score; the other is 0.
      flagged: what it flags of the answers that it was chosen by.
      held_out: precision and recall where each fifth is flagged by a threshold of the others.
    """

    setting: str
    threshold: float
    flagged: statistics.Flagged
    held_out: statistics.PrecisionRecall

    @property
    def thresholds(self) -> dict[str, float]:
        return dict.fromkeys((SUPPORT, CLAIM), 0.0) | {self.setting: self.threshold}


def choose_threshold(
    labelled: Sequence[LabelledAnswer], goal: statistics.Goal, resamples: int
) -> ThresholdChoice | None:
    """Choose the score and its threshold; None if no threshold reaches the goal."""
    examples = {
        CLAIM: answer_examples(labelled, "min_claim_score"),
        SUPPORT: answer_examples(labelled, "support_score"),
    }
    found = [_choice(setting, each, goal, resamples) for setting, each in examples.items()]
    choices = [choice for choice in found if choice]
    return max(choices, key=lambda choice: _other_share(choice, goal), default=None)


def _choice(
    setting: str, examples: Sequence[statistics.Example], goal: statistics.Goal, resamples: int
) -> ThresholdChoice | None:
    threshold = statistics.find_threshold(examples, goal)
    if threshold is None:
        return None
    flags = statistics.held_out_flags(examples, goal)
    return ThresholdChoice(
        setting=setting,
        threshold=threshold,
        flagged=statistics.flag_below(examples, threshold),
        held_out=statistics.measure_flags(examples, flags, resamples),
    )


def _other_share(choice: ThresholdChoice, goal: statistics.Goal) -> float:
    """Return the recall that a wanted precision leaves, or the precision that a recall leaves."""
    other = choice.flagged.precision if goal.is_recall else choice.flagged.recall
    return other or 0.0
