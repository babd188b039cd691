"""Know whether answers are supported by their sources: `check`, and the steps of the pipeline.

Each name is imported when it is first used, so that `check` works without Beam.
"""

import logging
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from groundwatch.checks import acheck as acheck
    from groundwatch.checks import check as check
    from groundwatch.checks import check_many as check_many
    from schemas.enriched_answer import EnrichedAnswer as EnrichedAnswer
    from schemas.message import Message as Message
    from transforms.check_grounding import CheckGrounding as CheckGrounding
    from transforms.deduplicate import Deduplicate as Deduplicate
    from transforms.grounding.settings import CheckSettings as CheckSettings
    from transforms.measure_rates import MeasureRates as MeasureRates
    from transforms.parse_answers import ParseAnswers as ParseAnswers
    from transforms.route_answers import RouteAnswers as RouteAnswers
    from transforms.rules.tagging import Thresholds as Thresholds
    from transforms.sample_answers import SampleAnswers as SampleAnswers
    from transforms.select_alerts import SelectAlerts as SelectAlerts
    from transforms.tag_answers import TagAnswers as TagAnswers

    __version__: str

_MODULES = {
    "CheckGrounding": "transforms.check_grounding",
    "CheckSettings": "transforms.grounding.settings",
    "Deduplicate": "transforms.deduplicate",
    "EnrichedAnswer": "schemas.enriched_answer",
    "MeasureRates": "transforms.measure_rates",
    "Message": "schemas.message",
    "ParseAnswers": "transforms.parse_answers",
    "RouteAnswers": "transforms.route_answers",
    "SampleAnswers": "transforms.sample_answers",
    "SelectAlerts": "transforms.select_alerts",
    "TagAnswers": "transforms.tag_answers",
    "Thresholds": "transforms.rules.tagging",
    "acheck": "groundwatch.checks",
    "check": "groundwatch.checks",
    "check_many": "groundwatch.checks",
}
# Beam reports as a fault that it was installed without its extra gcp.
logging.getLogger().addFilter(lambda record: "apitools not found" not in str(record.msg))
# The folder of the other packages: where groundwatch is installed, and in a clone.
_FOLDERS = Path(__file__).parents[1], Path(__file__).parents[3]
for _name in ("schemas", "transforms", "pipeline"):
    _spec = find_spec(_name)
    if _spec and _spec.origin and Path(_spec.origin).parents[1] not in _FOLDERS:
        raise ImportError(
            f"{_spec.origin} hides groundwatch's package `{_name}`: rename it, or install"
            " groundwatch in another environment"
        )


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return version("groundwatch")
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted((*_MODULES, "__version__"))
