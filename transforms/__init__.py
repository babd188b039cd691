"""The steps of the pipeline, one PTransform a file, and `check` for a single answer.

Each name is imported when it is first used, so that `check` works without Beam.
"""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from schemas.message import Message as Message
    from transforms.check_grounding import CheckGrounding as CheckGrounding
    from transforms.check_one import check as check
    from transforms.deduplicate import Deduplicate as Deduplicate
    from transforms.measure_rates import MeasureRates as MeasureRates
    from transforms.parse_answers import ParseAnswers as ParseAnswers
    from transforms.route_answers import RouteAnswers as RouteAnswers
    from transforms.sample_answers import SampleAnswers as SampleAnswers
    from transforms.select_alerts import SelectAlerts as SelectAlerts
    from transforms.tag_answers import TagAnswers as TagAnswers

_MODULES = {
    "CheckGrounding": "transforms.check_grounding",
    "Deduplicate": "transforms.deduplicate",
    "MeasureRates": "transforms.measure_rates",
    "Message": "schemas.message",
    "ParseAnswers": "transforms.parse_answers",
    "RouteAnswers": "transforms.route_answers",
    "SampleAnswers": "transforms.sample_answers",
    "SelectAlerts": "transforms.select_alerts",
    "TagAnswers": "transforms.tag_answers",
    "check": "transforms.check_one",
}
_schemas = find_spec("schemas")
if _schemas and _schemas.origin and Path(_schemas.origin).parents[1] != Path(__file__).parents[1]:
    raise ImportError(
        f"{_schemas.origin} hides groundwatch's package `schemas`: rename it, or install"
        " groundwatch in another environment"
    )


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted(_MODULES)
