"""Calibrate the thresholds of LOW_GROUNDED, and the weight of a model, and write both as YAML."""

import sys
from math import inf

import yaml
from rich.console import Console
from rich.table import Table

from groundwatch.launch.cli.commands.calibrate import CalibrateSettings
from groundwatch.launch.cli.terminal.exit_status import DONE, fail
from groundwatch.launch.cli.terminal.figures import NOTHING, count, percent
from groundwatch.pipeline.settings.load import Loaded
from groundwatch.pipeline.storage.named_output import text_beside, writing
from groundwatch.transforms.rules.spans import without_controls
from .choose_thresholds import ChosenThresholds, ThresholdChoice, WeightChoice, calibrate, goal_text
from .evaluate_answers import estimate_text, plain_table, precision_and_recall, with_labelled
from .find_thresholds import Goal
from .labelled_answers import LabelledAnswers

_WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, inf)
"""Of a model: words alone, both, and the model alone."""

_WIDTH = 120
_HELD_OUT = "precision and recall: of held-out answers, with 95 % intervals"
_OTHER_HALF = (
    "flagged: of the half that the numbers are fitted to; precision and recall: of the other half,"
    " with 95 % intervals"
)


def calibrate_thresholds(loaded: Loaded[CalibrateSettings]) -> int:
    """Print and write the thresholds of all answers and of each engine."""
    weights = _WEIGHTS if loaded.settings.checker.compared_weights else ()
    return with_labelled(loaded, _calibrate, "calibration", weights)


def _calibrate(collected: LabelledAnswers, settings: CalibrateSettings) -> int:
    is_recall = settings.precision is None
    found = calibrate(
        collected.labelled,
        Goal((settings.recall if is_recall else settings.precision) or 0.0, is_recall),
        settings.evaluation.resamples,
        collected.unlabelled,
        settings.engine,
        by_weight=collected.by_weight,
    )
    if not found.groups[None]:
        return fail(
            f"the calibration failed: no labelled answer is of the engine {settings.engine}"
        )
    with text_beside(settings.calibration_output):
        return _show_and_write(found, settings)


def _show_and_write(found: ChosenThresholds, settings: CalibrateSettings) -> int:
    console = Console(highlight=False, markup=False)
    console.width = max(console.width, _WIDTH)
    if found.weight:
        console.print(_weights(found.weight))
        console.print()
    console.print(_table(found))
    console.print(_OTHER_HALF if found.weight else _HELD_OUT)
    console.print("thresholds hold for traffic like these answers, and seldom for other traffic")
    for engine, warning in found.warnings:
        console.print(f"warning: {group_name(engine)}: {warning}", style="yellow")
    if failure := found.failure():
        return fail(f"the calibration failed: {failure}")
    if settings.calibration_output:
        with writing(settings.calibration_output) as stream:
            stream.write(thresholds_file(found, settings.engine))
        sys.stdout.write(f"{settings.calibration_output}\n")
    return DONE


def _weights(choice: WeightChoice) -> Table:
    table = plain_table("scorer_weight", "AUROC, fitted half", "other half (95 % interval)", "")
    for weight, (fitted, other) in choice.areas.items():
        is_chosen = "chosen" if weight == choice.weight else ""
        area = NOTHING if fitted is None else f"{fitted:.3f}"
        table.add_row(f"{weight:g}", area, estimate_text(other), is_chosen)
    return table


def _table(found: ChosenThresholds) -> Table:
    settings, shares = ("low_grounded", "claim"), ("flagged", "precision", "recall")
    table = plain_table("threshold of", "labelled", "unsupported", *settings, *shares)
    for engine, labelled in found.groups.items():
        unsupported = sum(each.label.is_unsupported for each in labelled)
        counts = count(len(labelled)), count(unsupported)
        table.add_row(group_name(engine), *counts, *_cells(found.choices[engine]))
    return table


def _cells(choice: ThresholdChoice | None) -> tuple[str, ...]:
    if choice is None:
        return (NOTHING,) * 5
    chosen, shares = choice.thresholds, precision_and_recall(choice.held_out)
    numbers = f"{chosen.low_grounded:g}", f"{chosen.claim:g}"
    return *numbers, percent(choice.flagged.share), *shares


def thresholds_file(found: ChosenThresholds, engine: str | None = None) -> bytes:
    """Return the weight and the thresholds of all answers, or those of one engine, as YAML.

    An engine whose labels are too few has none of its own.
    """
    of_engine = f" of the engine {engine}" if engine else ""
    count_text = f"{len(found.groups[None]):,} labelled answers{of_engine}"
    own = {name: each for name, each in found.choices.items() if each and not found.failure(name)}
    comments = (_comment(name, own.get(name)) for name in found.choices)
    weight = found.weight and found.weight.weight
    # An infinite weight is written as for the flag, and not as YAML's ".inf".
    values: dict[str, object] = (
        {} if weight is None else {"scorer_weight": "inf" if weight == inf else weight}
    )
    for name in ("low_grounded", "claim"):
        numbers = {engine: getattr(each.thresholds, name) for engine, each in own.items()}
        values[f"{name}_threshold"] = [
            f"{engine}={each!r}" if engine else each for engine, each in numbers.items()
        ]
    head = f"# For a {goal_text(found.goal)}, by {count_text}.\n"
    return (head + "".join(comments) + yaml.safe_dump(values, sort_keys=False)).encode()


def group_name(engine: str | None) -> str:
    """Name a group of answers: those of an engine, or all."""
    return "all answers" if engine is None else f"engine {without_controls(engine)}"


def _comment(engine: str | None, choice: ThresholdChoice | None) -> str:
    if choice is None:
        return f"# {group_name(engine)}: that of all answers; its labels give none.\n"
    precision, recall = precision_and_recall(choice.held_out)
    return f"# {group_name(engine)}: held-out precision {precision}, recall {recall}.\n"
