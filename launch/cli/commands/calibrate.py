"""Choose thresholds for a precision or recall, by labels.

A threshold of 0 has no effect. With a scorer its weight and the thresholds are fitted to one half
of the answers, and measured on the other.
"""

from collections.abc import Iterator
from typing import Annotated

from groundwatch.pipeline.settings import kinds
from groundwatch.pipeline.settings.checker import CheckerSettings
from groundwatch.pipeline.settings.definition import Note
from groundwatch.pipeline.settings.job import VerdictSettings
from . import Command
from .evaluate import EvaluateSettings, EvaluationSettings


class CalibrateSettings(EvaluateSettings, frozen=True, kw_only=True):
    """The settings of `calibrate`.

    precision: Wanted precision of LOW_GROUNDED, at the highest recall.
    recall: Wanted recall of LOW_GROUNDED, at the highest precision.
    engine: Only use the answers of this engine.
    calibration_output: File for the thresholds, as YAML for --config; - is standard output.
    """

    evaluation: Annotated[EvaluationSettings, Note(without="evaluation_output")]
    checker: Annotated[
        CheckerSettings, Note(without="escalate escalate_below escalate_share scorer_weight")
    ]
    verdicts: Annotated[
        VerdictSettings, Note(without="move_reason low_grounded_threshold claim_threshold")
    ]
    precision: Annotated[kinds.Fraction | None, Note(is_argument=True)] = None
    recall: Annotated[kinds.Fraction | None, Note(is_argument=True)] = None
    engine: Annotated[kinds.Text | None, Note(is_argument=True)] = None
    calibration_output: Annotated[kinds.Location | None, Note(flag="output")] = None

    def problems(self) -> Iterator[str]:
        if (self.precision is None) == (self.recall is None):
            yield "the goal is missing: pass either --precision or --recall"


COMMAND = Command(
    settings=CalibrateSettings,
    run="groundwatch.launch.quality.evaluate.calibrate_thresholds:calibrate_thresholds",
    examples=(
        "--answers answers.jsonl --gold labels.jsonl --precision 0.8",
        "--answers answers.jsonl --gold labels.jsonl --recall 0.9 --output thresholds.yaml",
    ),
)
