"""Calibrate the thresholds of LOW_GROUNDED by labelled answers."""

import sys
from collections.abc import Iterator, Sequence
from functools import partial

import yaml
from rich.console import Console
from rich.table import Table

from launch.evaluate import statistics
from launch.evaluate.evaluate_answers import short_estimate, with_labelled
from launch.evaluate.evaluation import answer_examples
from launch.evaluate.labelled_answers import LabelledAnswer, LabelledAnswers
from launch.evaluate.statistics import Goal
from launch.outputs.output_folder import write_file
from launch.terminal.exit_status import DONE, fail
from launch.terminal.figures import NOTHING, count, percent
from pipeline.settings.commands import CalibrateSettings
from pipeline.settings.load import Loaded
from schemas import Record
from transforms.rules.spans import without_controls

CLAIM, SUPPORT = "claim_threshold", "low_grounded_threshold"
_WIDTH = 120
_HEADINGS = (
    *("", "labelled", "unsupported"),
    *("setting", "threshold", "flagged", "precision", "recall"),
)
_MIN_RECALL = 0.1


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
    labelled: Sequence[LabelledAnswer], goal: Goal, resamples: int
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
    setting: str, examples: Sequence[statistics.Example], goal: Goal, resamples: int
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


def _other_share(choice: ThresholdChoice, goal: Goal) -> float:
    """Return the recall that a wanted precision leaves, or the precision that a recall leaves."""
    other = choice.flagged.precision if goal.is_recall else choice.flagged.recall
    return other or 0.0


_Choices = dict[str | None, ThresholdChoice | None]
"""The choice of each engine, and of all (None)."""


def calibrate_thresholds(loaded: Loaded[CalibrateSettings]) -> int:
    """Print and write the thresholds of all answers and of each engine."""
    use = partial(_calibrate, settings=loaded.settings)
    return with_labelled(loaded, use, "calibration")


def _calibrate(collected: LabelledAnswers, settings: CalibrateSettings) -> int:
    is_recall = settings.precision is None
    goal = Goal((settings.recall if is_recall else settings.precision) or 0.0, is_recall)
    groups = dict(_groups(collected.labelled, settings.engine))
    if not groups[None]:
        return fail(
            f"the calibration failed: no labelled answer is of the engine {settings.engine}"
        )
    choices = {
        engine: choose_threshold(labelled, goal, settings.evaluation.resamples)
        for engine, labelled in groups.items()
    }
    console = Console(highlight=False, markup=False)
    console.width = max(console.width, _WIDTH)
    console.print(_table(groups, choices))
    console.print("precision and recall: of held-out answers, with 95 % intervals")
    console.print("thresholds hold for traffic like these answers, and seldom for other traffic")
    for engine, choice in choices.items():
        for warning in _warnings(choice, goal):
            console.print(f"warning: {_name(engine)}: {warning}", style="yellow")
    if choices[None] is None:
        return fail(
            f"the calibration failed: no threshold has the wanted {_goal_text(goal)}:"
            " lower it, or label more answers"
        )
    if settings.calibration_output:
        of_engine = f" of the engine {settings.engine}" if settings.engine else ""
        count_text = f"{len(groups[None]):,} labelled answers{of_engine}"
        content = f"# For a {_goal_text(goal)}, by {count_text}.\n{_yaml(choices)}"
        write_file(settings.calibration_output, content.encode())
        sys.stdout.write(f"{settings.calibration_output}\n")
    return DONE


def _warnings(choice: ThresholdChoice | None, goal: Goal) -> Iterator[str]:
    """Yield what a threshold does not keep on held-out answers."""
    if choice is None:
        return
    precision, recall = choice.held_out.precision, choice.held_out.recall
    if recall is None or recall.value < _MIN_RECALL:
        yield f"the held-out recall is below {_MIN_RECALL:g}: few unsupported answers are flagged"
    if not goal.is_recall and precision and precision.value < goal.value:
        yield f"the held-out precision is below the wanted {goal.value:g}: label more answers"


def _groups(
    labelled: Sequence[LabelledAnswer], engine: str | None
) -> Iterator[tuple[str | None, list[LabelledAnswer]]]:
    """Yield the answers that count, of all engines (None) and, if there are several, of each."""
    used = [each for each in labelled if engine in (None, each.engine)]
    yield None, used
    engines = sorted({each.engine for each in used if each.engine})
    for name in engines if len(engines) > 1 else ():
        yield name, [each for each in used if each.engine == name]


def _table(groups: dict[str | None, list[LabelledAnswer]], choices: _Choices) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in _HEADINGS:
        table.add_column(heading, justify="left" if heading in ("", "setting") else "right")
    for engine, labelled in groups.items():
        unsupported = sum(each.label.is_unsupported for each in labelled)
        counts = count(len(labelled)), count(unsupported)
        table.add_row(_name(engine), *counts, *_cells(choices[engine]))
    return table


def _cells(choice: ThresholdChoice | None) -> tuple[str, ...]:
    if choice is None:
        return (NOTHING,) * 5
    held_out = choice.held_out.precision, choice.held_out.recall
    shares = map(short_estimate, held_out)
    return choice.setting, f"{choice.threshold:g}", percent(choice.flagged.share), *shares


def _goal_text(goal: Goal) -> str:
    return f"{'recall' if goal.is_recall else 'precision'} of {goal.value:g}"


def _name(engine: str | None) -> str:
    return "all answers" if engine is None else f"engine {without_controls(engine)}"


def _yaml(choices: _Choices) -> str:
    """Write the thresholds of all answers, and of each engine that flags held-out answers."""
    own = {
        engine: each
        for engine, each in choices.items()
        if each and (engine is None or each.held_out.precision)
    }
    comments = (_comment(engine, own.get(engine)) for engine in choices)
    values = {
        setting: [
            f"{engine}={each.thresholds[setting]!r}" if engine else each.thresholds[setting]
            for engine, each in own.items()
        ]
        for setting in (SUPPORT, CLAIM)
    }
    return "".join(comments) + yaml.safe_dump(values, sort_keys=False)


def _comment(engine: str | None, choice: ThresholdChoice | None) -> str:
    if choice is None:
        return f"# {_name(engine)}: that of all answers; its labels give none.\n"
    precision, recall = map(short_estimate, (choice.held_out.precision, choice.held_out.recall))
    return f"# {_name(engine)}: held-out precision {precision}, recall {recall}.\n"
