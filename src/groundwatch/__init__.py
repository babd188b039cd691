"""Know whether answers are supported by their sources: `check`, and the steps of the pipeline.

Each name is imported when it is first used, so that `check` works without Beam.
"""

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .checks import CheckResult as CheckResult
    from .checks import acheck as acheck
    from .checks import check as check
    from .checks import check_many as check_many
    from .schemas.enriched_answer import EnrichedAnswer as EnrichedAnswer
    from .schemas.message import Message as Message
    from .schemas.message import UnreadableAnswer as UnreadableAnswer
    from .transforms.check_grounding import CheckGrounding as CheckGrounding
    from .transforms.deduplicate import Deduplicate as Deduplicate
    from .transforms.grounding.errors import AnswerRefused as AnswerRefused
    from .transforms.grounding.errors import CheckFailed as CheckFailed
    from .transforms.grounding.errors import Misconfigured as Misconfigured
    from .transforms.grounding.errors import Rejected as Rejected
    from .transforms.grounding.errors import Unavailable as Unavailable
    from .transforms.grounding.python_checker import Checker as Checker
    from .transforms.grounding.settings import CheckSettings as CheckSettings
    from .transforms.grounding.settings import RetrySettings as RetrySettings
    from .transforms.measure_rates import MeasureRates as MeasureRates
    from .transforms.parse_answers import ParseAnswers as ParseAnswers
    from .transforms.route_answers import RouteAnswers as RouteAnswers
    from .transforms.rules.thresholds import EscalationRule as EscalationRule
    from .transforms.rules.thresholds import Thresholds as Thresholds
    from .transforms.sample_answers import SampleAnswers as SampleAnswers
    from .transforms.select_alerts import SelectAlerts as SelectAlerts
    from .transforms.tag_answers import TagAnswers as TagAnswers

__version__ = "2.2.0"
_MODULES = {
    **dict.fromkeys(("CheckResult", "acheck", "check", "check_many"), "checks"),
    "EnrichedAnswer": "schemas.enriched_answer",
    **dict.fromkeys(("Message", "UnreadableAnswer"), "schemas.message"),
    "CheckGrounding": "transforms.check_grounding",
    "Deduplicate": "transforms.deduplicate",
    **dict.fromkeys(
        ("AnswerRefused", "CheckFailed", "Misconfigured", "Rejected", "Unavailable"),
        "transforms.grounding.errors",
    ),
    "Checker": "transforms.grounding.python_checker",
    **dict.fromkeys(("CheckSettings", "RetrySettings"), "transforms.grounding.settings"),
    "MeasureRates": "transforms.measure_rates",
    "ParseAnswers": "transforms.parse_answers",
    "RouteAnswers": "transforms.route_answers",
    **dict.fromkeys(("EscalationRule", "Thresholds"), "transforms.rules.thresholds"),
    "SampleAnswers": "transforms.sample_answers",
    "SelectAlerts": "transforms.select_alerts",
    "TagAnswers": "transforms.tag_answers",
}
# Beam reports as a fault that it was installed without its extra gcp.
logging.getLogger().addFilter(lambda record: "apitools not found" not in str(record.msg))


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted((*_MODULES, "__version__"))
