"""Write a calibration as settings for ``--config``."""

from math import inf

import yaml

from groundwatch.transforms.rules.spans import without_controls
from .choose_thresholds import ChosenThresholds, ThresholdChoice, goal_text
from .evaluate_answers import precision_and_recall


def thresholds_file(found: ChosenThresholds, engine: str | None = None) -> bytes:
    """Return the weight and the thresholds of all answers, or those of one engine, as YAML.

    An engine that flags no held-out answer has none of its own.
    """
    of_engine = f" of the engine {engine}" if engine else ""
    count_text = f"{len(found.groups[None]):,} labelled answers{of_engine}"
    own = {
        name: each
        for name, each in found.choices.items()
        if each and (name is None or each.held_out.precision)
    }
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
