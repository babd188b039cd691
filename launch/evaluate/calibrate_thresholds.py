"""Calibrate the thresholds of LOW_GROUNDED by labelled answers."""

import sys
from collections.abc import Iterator, Sequence
from functools import partial

import yaml
from rich.console import Console
from rich.table import Table

from launch.evaluate.evaluate_answers import short_estimate, with_labelled
from launch.evaluate.labelled_answers import LabelledAnswer, LabelledAnswers
from launch.evaluate.statistics import Goal
from launch.evaluate.threshold_choice import ThresholdChoice, choose_threshold
from launch.report.output_folder import write_file
from launch.terminal.exit_status import DONE, fail
from launch.terminal.figures import NOTHING, count, percent
from pipeline.settings.commands import CalibrateSettings
from pipeline.settings.load import Loaded

_ALL = "all answers"
_WIDTH = 120


def calibrate_thresholds(loaded: Loaded[CalibrateSettings]) -> int:
    """Print the thresholds of all answers and of each engine, and write those of all."""
    use = partial(_calibrate, settings=loaded.settings)
    return with_labelled(loaded, use, "calibration")


def _calibrate(collected: LabelledAnswers, settings: CalibrateSettings) -> int:
    is_recall = settings.precision is None
    goal = Goal((settings.recall if is_recall else settings.precision) or 0.0, is_recall)
    groups = dict(_groups(collected.labelled, settings.engine))
    if not groups[_ALL]:
        return fail(
            f"the calibration failed: no labelled answer is of the engine {settings.engine}"
        )
    choices = {
        name: choose_threshold(labelled, goal, settings.evaluation.resamples)
        for name, labelled in groups.items()
    }
    console = Console(highlight=False, markup=False)
    console.width = max(console.width, _WIDTH)
    console.print(_table(groups, choices))
    console.print("precision and recall: of held-out answers, with 95 % intervals")
    chosen = choices[_ALL]
    if chosen is None:
        return fail(
            f"the calibration failed: no threshold has the wanted {_goal_text(goal)}:"
            " lower it, or label more answers"
        )
    if settings.calibration_output:
        content = _yaml(chosen, goal, len(groups[_ALL]), settings.engine)
        write_file(settings.calibration_output, content.encode())
        sys.stdout.write(f"{settings.calibration_output}\n")
    return DONE


def _groups(
    labelled: Sequence[LabelledAnswer], engine: str | None
) -> Iterator[tuple[str, list[LabelledAnswer]]]:
    used = [each for each in labelled if engine in (None, each.engine)]
    yield _ALL, used
    engines = sorted({each.engine for each in used if each.engine})
    for name in engines if len(engines) > 1 else ():
        yield f"engine {name}", [each for each in used if each.engine == name]


def _table(
    groups: dict[str, list[LabelledAnswer]], choices: dict[str, ThresholdChoice | None]
) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("", "labelled", "unsupported", "setting", "threshold", "flagged"):
        table.add_column(heading, justify="left" if heading in ("", "setting") else "right")
    for heading in ("precision", "recall"):
        table.add_column(heading, justify="right")
    for name, labelled in groups.items():
        unsupported = sum(each.label.is_unsupported for each in labelled)
        table.add_row(name, count(len(labelled)), count(unsupported), *_cells(choices[name]))
    return table


def _cells(choice: ThresholdChoice | None) -> tuple[str, ...]:
    if choice is None:
        return (NOTHING,) * 5
    held_out = choice.held_out.precision, choice.held_out.recall
    shares = map(short_estimate, held_out)
    return choice.setting, f"{choice.threshold:g}", percent(choice.flagged.share), *shares


def _goal_text(goal: Goal) -> str:
    return f"{'recall' if goal.is_recall else 'precision'} of {goal.value:g}"


def _yaml(choice: ThresholdChoice, goal: Goal, answers: int, engine: str | None) -> str:
    of_engine = f" of the engine {engine}" if engine else ""
    precision, recall = map(short_estimate, (choice.held_out.precision, choice.held_out.recall))
    return (
        f"# For a {_goal_text(goal)}, by {answers:,} labelled answers{of_engine}.\n"
        f"# Held out: precision {precision}, recall {recall}.\n"
        f"{yaml.safe_dump(choice.thresholds, sort_keys=False)}"
    )
