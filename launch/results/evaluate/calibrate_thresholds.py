"""Calibrate the thresholds of LOW_GROUNDED by labelled answers."""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import yaml
from msgspec.structs import replace
from rich.console import Console
from rich.table import Table

from groundwatch.launch.cli.commands.calibrate import CalibrateSettings
from groundwatch.launch.cli.terminal.exit_status import DONE, fail
from groundwatch.launch.cli.terminal.figures import NOTHING, count, percent
from groundwatch.launch.results.evaluate.chosen_labels import unequal_labels, unknown_recall
from groundwatch.launch.results.evaluate.evaluate_answers import (
    plain_table,
    precision_and_recall,
    with_labelled,
)
from groundwatch.launch.results.evaluate.evaluation import answer_examples
from groundwatch.launch.results.evaluate.labelled_answers import LabelledAnswer, LabelledAnswers
from groundwatch.launch.results.evaluate.statistics import (
    Example,
    Flagged,
    Goal,
    PrecisionRecall,
    find_threshold,
    flag_below,
    held_out_flags,
    measure_flags,
)
from groundwatch.pipeline.settings.load import Loaded
from groundwatch.pipeline.storage.named_output import text_beside, writing
from groundwatch.schemas import Record
from groundwatch.transforms.rules.spans import without_controls

CLAIM, SUPPORT = "claim_threshold", "low_grounded_threshold"
_WIDTH = 120
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
    flagged: Flagged
    held_out: PrecisionRecall

    @property
    def thresholds(self) -> dict[str, float]:
        """The settings of a run."""
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
    setting: str, examples: Sequence[Example], goal: Goal, resamples: int
) -> ThresholdChoice | None:
    threshold = find_threshold(examples, goal)
    if threshold is None:
        return None
    flags = held_out_flags(examples, goal)
    return ThresholdChoice(
        setting=setting,
        threshold=threshold,
        flagged=flag_below(examples, threshold),
        held_out=measure_flags(examples, flags, resamples),
    )


def _other_share(choice: ThresholdChoice, goal: Goal) -> float:
    """Return the recall that a wanted precision leaves, or the precision that a recall leaves."""
    other = choice.flagged.precision if goal.is_recall else choice.flagged.recall
    return other or 0.0


class ChosenThresholds(NamedTuple):
    """The labelled answers of each engine, and of all (None), and the threshold of each.

    `cautions` say by engine what the labels do not show, because of the answers that have one.
    """

    goal: Goal
    groups: dict[str | None, list[LabelledAnswer]]
    choices: dict[str | None, ThresholdChoice | None]
    unknown_recalls: dict[str | None, str | None]
    cautions: dict[str | None, str | None]

    @property
    def warnings(self) -> list[tuple[str | None, str]]:
        """What the labels do not show, and what a threshold does not keep on held-out answers."""
        return [
            (engine, warning)
            for engine, choice in self.choices.items()
            for warning in (
                self.unknown_recalls[engine],
                self.cautions[engine],
                *_warnings(choice, self.goal, is_known=not self.unknown_recalls[engine]),
            )
            if warning
        ]

    @property
    def failure(self) -> str | None:
        """Why all answers together have no threshold, and what to do; None if they have one."""
        if self.choices[None]:
            return None
        missing = f"no threshold has the wanted {_goal_text(self.goal)}"
        return self.unknown_recalls[None] or f"{missing}: lower it, or label more answers"

    def file(self, engine: str | None = None) -> bytes:
        """Return the thresholds as YAML for --config, of one engine or of all."""
        of_engine = f" of the engine {engine}" if engine else ""
        count_text = f"{len(self.groups[None]):,} labelled answers{of_engine}"
        return f"# For a {_goal_text(self.goal)}, by {count_text}.\n{_yaml(self.choices)}".encode()


def calibrate(
    labelled: Sequence[LabelledAnswer],
    goal: Goal,
    resamples: int,
    unlabelled: Mapping[str | None, Mapping[str, int]],
    engine: str | None = None,
) -> ChosenThresholds:
    """Choose the thresholds of all answers and, if there are several, of each engine.

    `unlabelled` are the verdicts of the answers without a label, by engine. Where people labelled
    flagged answers only, there is no recall, and no threshold for a wanted one.
    """
    used = [each for each in labelled if engine in (None, each.engine)]
    engines = sorted({each.engine for each in used if each.engine})
    several = engines if len(engines) > 1 else []
    groups: dict[str | None, list[LabelledAnswer]] = {None: used}
    groups |= {name: [each for each in used if each.engine == name] for name in several}
    others: dict[str | None, Counter[str]] = {name: Counter() for name in groups}
    for name, counter in others.items():
        for each, found in unlabelled.items():
            counter.update(found if (name or engine) in (None, each) else {})
    verdicts = {name: [each.verdict for each in group] for name, group in groups.items()}
    unknown = {name: unknown_recall(verdicts[name], others[name]) for name in groups}
    choices = {
        name: _choose(each, goal, resamples, has_recall=not unknown[name])
        for name, each in groups.items()
    }
    cautions = {name: unequal_labels(verdicts[name], others[name]) for name in groups}
    return ChosenThresholds(goal, groups, choices, unknown, cautions)


def _choose(
    labelled: Sequence[LabelledAnswer], goal: Goal, resamples: int, *, has_recall: bool
) -> ThresholdChoice | None:
    if has_recall:
        return choose_threshold(labelled, goal, resamples)
    choice = None if goal.is_recall else choose_threshold(labelled, goal, resamples)
    return choice and replace(choice, held_out=replace(choice.held_out, recall=None))


def calibrate_thresholds(loaded: Loaded[CalibrateSettings]) -> int:
    """Print and write the thresholds of all answers and of each engine."""
    return with_labelled(loaded, _calibrate, "calibration")


def _calibrate(collected: LabelledAnswers, settings: CalibrateSettings) -> int:
    is_recall = settings.precision is None
    goal = Goal((settings.recall if is_recall else settings.precision) or 0.0, is_recall)
    resamples, unlabelled = settings.evaluation.resamples, collected.unlabelled
    found = calibrate(collected.labelled, goal, resamples, unlabelled, settings.engine)
    if not found.groups[None]:
        return fail(
            f"the calibration failed: no labelled answer is of the engine {settings.engine}"
        )
    with text_beside(settings.calibration_output):
        return _show_and_write(found, settings)


def _show_and_write(found: ChosenThresholds, settings: CalibrateSettings) -> int:
    console = Console(highlight=False, markup=False)
    console.width = max(console.width, _WIDTH)
    console.print(_table(found))
    console.print("precision and recall: of held-out answers, with 95 % intervals")
    console.print("thresholds hold for traffic like these answers, and seldom for other traffic")
    for engine, warning in found.warnings:
        console.print(f"warning: {_name(engine)}: {warning}", style="yellow")
    if found.failure:
        return fail(f"the calibration failed: {found.failure}")
    if settings.calibration_output:
        with writing(settings.calibration_output) as stream:
            stream.write(found.file(settings.engine))
        sys.stdout.write(f"{settings.calibration_output}\n")
    return DONE


def _warnings(choice: ThresholdChoice | None, goal: Goal, *, is_known: bool) -> Iterator[str]:
    """Yield what a threshold does not keep on held-out answers, whose recall may be unknown."""
    if choice is None:
        return
    precision, recall = choice.held_out.precision, choice.held_out.recall
    if is_known and (recall is None or recall.value < _MIN_RECALL):
        yield f"the held-out recall is below {_MIN_RECALL:g}: few unsupported answers are flagged"
    name, reached = ("recall", recall) if goal.is_recall else ("precision", precision)
    if reached and reached.value < goal.value:
        yield (
            f"the held-out {name} is {reached.value:.2f}, below the wanted {goal.value:g}:"
            " label more answers"
        )


def _table(found: ChosenThresholds) -> Table:
    shares = ("flagged", "precision", "recall")
    table = plain_table("", "labelled", "unsupported", "setting", "threshold", *shares)
    table.columns[3].justify = "left"
    for engine, labelled in found.groups.items():
        unsupported = sum(each.label.is_unsupported for each in labelled)
        counts = count(len(labelled)), count(unsupported)
        table.add_row(_name(engine), *counts, *_cells(found.choices[engine]))
    return table


def _cells(choice: ThresholdChoice | None) -> tuple[str, ...]:
    if choice is None:
        return (NOTHING,) * 5
    shares = precision_and_recall(choice.held_out)
    return choice.setting, f"{choice.threshold:g}", percent(choice.flagged.share), *shares


def _goal_text(goal: Goal) -> str:
    return f"{'recall' if goal.is_recall else 'precision'} of {goal.value:g}"


def _name(engine: str | None) -> str:
    return "all answers" if engine is None else f"engine {without_controls(engine)}"


def _yaml(choices: dict[str | None, ThresholdChoice | None]) -> str:
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
    precision, recall = precision_and_recall(choice.held_out)
    return f"# {_name(engine)}: held-out precision {precision}, recall {recall}.\n"
