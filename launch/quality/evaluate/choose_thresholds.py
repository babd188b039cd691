"""Choose the weight of a model and the thresholds of LOW_GROUNDED by labelled answers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import inf, log
from typing import NamedTuple

from msgspec.structs import replace

from groundwatch.launch.results.shares import FEW_EXAMPLES, Interval
from groundwatch.schemas import Record
from groundwatch.transforms.rules.thresholds import Thresholds
from .evaluation import answer_examples, unequal_labels, unknown_recall
from .find_thresholds import Goal, find_thresholds, held_out_flags, is_flagged, part_of
from .labelled_answers import LabelledAnswer
from .statistics import Flagged, PrecisionRecall, flagged_of, measure_auroc, measure_flags

_MIN_RECALL = 0.1
_LEAST_RARER = 30
"""Of the rarer label, ten for each number that is fitted: a weight and two thresholds.

Source: P. Peduzzi et al., "A simulation study of the number of events per variable in logistic
regression analysis", Journal of Clinical Epidemiology 49 (1996).
"""


class ThresholdChoice(Record, frozen=True, kw_only=True):
    """The thresholds, 0..1, and what they do; one of 0 has no effect.

    Attributes:
      flagged: what they flag of the answers that they were chosen by.
      held_out: precision and recall of other answers: of each fifth by the thresholds of the
        others, or of the half that gave no numbers.
    """

    thresholds: Thresholds
    flagged: Flagged
    held_out: PrecisionRecall


class WeightChoice(NamedTuple):
    """The weight of a model with the greatest AUROC, by lowest claim, in one half of the answers.

    Attributes:
      weight: from 0, infinite for the model alone.
      areas: the AUROC of each weight in that half, and in the other half with its interval.
      rarer: how many answers in that half have the label that is rarer.
    """

    weight: float
    areas: dict[float, tuple[float | None, Interval | None]]
    rarer: int


def choose_thresholds(
    labelled: Sequence[LabelledAnswer],
    goal: Goal,
    resamples: int,
    *,
    by_half: bool = False,
    has_recall: bool = True,
) -> ThresholdChoice | None:
    """Choose the thresholds; None if none reach the goal, or a wanted recall is unknown.

    `by_half` chooses them by one half of the answers and reports on the other, because a weight was
    fitted to the first; otherwise all answers choose, and each fifth is held out in turn.
    """
    fitted, others = _halves(labelled) if by_half else (labelled, labelled)
    is_known = has_recall or not goal.is_recall
    thresholds = find_thresholds(fitted, goal) if is_known else None
    if thresholds is None:
        return None
    flag = partial(is_flagged, thresholds=thresholds)
    of_others = list(map(flag, others)) if by_half else held_out_flags(others, goal)
    flags = list(map(flag, fitted))
    hits = sum(flag and each.label.is_unsupported for flag, each in zip(flags, fitted, strict=True))
    held_out = measure_flags(answer_examples(others), of_others, resamples)
    return ThresholdChoice(
        thresholds=thresholds,
        flagged=flagged_of(None, sum(flags), hits, answer_examples(fitted)),
        held_out=held_out if has_recall else replace(held_out, recall=None),
    )


def _halves(
    labelled: Iterable[LabelledAnswer],
) -> tuple[list[LabelledAnswer], list[LabelledAnswer]]:
    """Part the clusters: the answers that numbers are fitted to, and those that report on them."""
    halves: tuple[list[LabelledAnswer], list[LabelledAnswer]] = [], []
    for each in labelled:
        halves[part_of(each, 2)].append(each)
    return halves


def choose_weight(
    by_weight: Mapping[float, Sequence[LabelledAnswer]], resamples: int
) -> WeightChoice:
    """Choose the weight by one half of the answers; of equal ones that which is nearest 1."""
    areas: dict[float, tuple[float | None, Interval | None]] = {}
    # The same answers have each weight.
    fitted, _ = _halves(next(iter(by_weight.values())))
    unsupported = sum(each.label.is_unsupported for each in fitted)
    for weight, labelled in by_weight.items():
        fitted, others = _halves(labelled)
        area = measure_auroc(answer_examples(fitted), 1)
        of_others = measure_auroc(answer_examples(others), resamples)
        areas[weight] = area.value if area else None, of_others
    # 0 is as far from 1 as infinity.
    best = max(areas, key=lambda weight: (areas[weight][0] or 0.0, -abs(log(weight or inf))))
    return WeightChoice(best, areas, min(unsupported, len(fitted) - unsupported))


class ChosenThresholds(NamedTuple):
    """The labelled answers of each engine, and of all (None), and the thresholds of each.

    `cautions` say by engine what the labels do not show, because of the answers that have one.
    """

    goal: Goal
    groups: dict[str | None, list[LabelledAnswer]]
    choices: dict[str | None, ThresholdChoice | None]
    unknown_recalls: dict[str | None, str | None]
    cautions: dict[str | None, str | None]
    weight: WeightChoice | None = None

    @property
    def warnings(self) -> list[tuple[str | None, str]]:
        """What the labels do not show, and what thresholds do not keep on held-out answers."""
        found = [
            (engine, warning)
            for engine, choice in self.choices.items()
            for warning in (
                self.unknown_recalls[engine],
                self.cautions[engine],
                _too_few(choice.held_out, self.goal) if choice and engine else None,
                *_warnings(choice, self.goal, is_known=not self.unknown_recalls[engine]),
            )
            if warning
        ]
        if self.weight and self.weight.rarer < _LEAST_RARER:
            few = (
                f"a weight and two thresholds are fitted to a half with {self.weight.rarer} answers"
                f" of the rarer label: label more, until it has {_LEAST_RARER}"
            )
            found.insert(0, (None, few))
        return found

    def failure(self, engine: str | None = None) -> str | None:
        """Say why a group has no thresholds to use, and what to do; None if it has some."""
        if choice := self.choices[engine]:
            return _too_few(choice.held_out, self.goal)
        missing = f"no threshold has the wanted {goal_text(self.goal)}"
        return self.unknown_recalls[engine] or f"{missing}: lower it, or label more answers"


def calibrate(
    labelled: Sequence[LabelledAnswer],
    goal: Goal,
    resamples: int,
    unlabelled: Mapping[str | None, Mapping[str, int]],
    engine: str | None = None,
    *,
    by_weight: Mapping[float, Sequence[LabelledAnswer]] = {},
) -> ChosenThresholds:
    """Choose the thresholds of all answers and, if there are several, of each engine.

    `unlabelled` are the verdicts of the answers without a label, by engine. Where people labelled
    flagged answers only, there is no recall, and no threshold for a wanted one. If the answers were
    checked with several weights of a model, one of them is chosen first, for all engines.
    """
    of_weight = {weight: _of_engine(each, engine) for weight, each in by_weight.items()}
    weight = choose_weight(of_weight, resamples) if any(of_weight.values()) else None
    used = of_weight[weight.weight] if weight else _of_engine(labelled, engine)
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
    choose = partial(choose_thresholds, goal=goal, resamples=resamples, by_half=weight is not None)
    choices = {name: choose(each, has_recall=not unknown[name]) for name, each in groups.items()}
    cautions = {name: unequal_labels(verdicts[name], others[name]) for name in groups}
    return ChosenThresholds(goal, groups, choices, unknown, cautions, weight)


def _of_engine(labelled: Iterable[LabelledAnswer], engine: str | None) -> list[LabelledAnswer]:
    return [each for each in labelled if engine in (None, each.engine)]


def goal_text(goal: Goal) -> str:
    """Name a goal, such as ``precision of 0.8``."""
    return f"{'recall' if goal.is_recall else 'precision'} of {goal.value:g}"


def _too_few(found: PrecisionRecall, goal: Goal) -> str | None:
    """Say that held-out answers are too few to show that a goal is reached; None if they do."""
    held = found.unsupported if goal.is_recall else found.flagged
    kind = "unsupported" if goal.is_recall else "flagged"
    needed = f"{held} held-out answers are {kind}: label more answers, until {FEW_EXAMPLES} are"
    return None if held >= FEW_EXAMPLES else f"a {goal_text(goal)} is not shown: {needed}"


def _warnings(choice: ThresholdChoice | None, goal: Goal, *, is_known: bool) -> Iterator[str]:
    """Yield what thresholds do not keep on held-out answers, whose recall may be unknown."""
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
