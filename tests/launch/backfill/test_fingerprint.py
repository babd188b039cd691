"""Which settings may change while an interrupted run is resumed."""

import re
from math import inf
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from groundwatch.launch.backfill.same_run import NOT_IN_FINGERPRINT, fingerprint
from groundwatch.pipeline.settings.config import Config
from groundwatch.schemas.message import ParseOptions
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.grounding.settings import CheckSettings, with_screen
from groundwatch.transforms.rules.alerting import AlertRule
from groundwatch.transforms.rules.limits import CheckLimits
from groundwatch.transforms.rules.redaction import TextMode
from groundwatch.transforms.rules.sampling import SamplingRule
from groundwatch.transforms.rules.thresholds import EscalationRule, Thresholds
from tests.support.commands import output_under_any_hash_seed

CONFIG = Config(inputs=(), output="out", run="r1")
OTHERS = {
    "replays": True,
    "parsing": ParseOptions(input_format="openai"),
    "sampling": SamplingRule(rate=0.5),
    "moved_reasons": {"SAFETY": Verdict.NOT_ANSWERED},
    "thresholds": Thresholds(claim=0.5),
    "alerts": AlertRule(verdicts=frozenset()),
}
OTHER_CHECKS = {
    "checker": "http://127.0.0.1:1",
    "scorer": "model",
    "api_version": "v1",
    "grounding_config": "projects/p/locations/global/groundingConfigs/c",
    "citation_threshold": None,
    "limits": CheckLimits(max_facts=7),
    "max_calls_per_answer": 3,
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_setting_that_changes_the_output_changes_the_fingerprint(name: str) -> None:
    assert fingerprint(replace(CONFIG, **{name: OTHERS[name]})) != fingerprint(CONFIG)


@pytest.mark.parametrize("name", OTHER_CHECKS)
def test_a_setting_that_changes_the_replies_changes_the_fingerprint(name: str) -> None:
    check = replace(CONFIG.check, **{name: OTHER_CHECKS[name]})
    assert fingerprint(replace(CONFIG, check=check)) != fingerprint(CONFIG)


def test_the_weight_of_a_model_changes_the_fingerprint_where_there_is_one() -> None:
    def of(scorer: str | None, weight: float) -> str:
        check = replace(CONFIG.check, scorer=scorer, scorer_weight=weight)
        return fingerprint(replace(CONFIG, check=check))

    assert of(None, 0.5) == fingerprint(CONFIG)
    assert len({of("model", weight) for weight in (0.5, 1.0, inf)}) == 3


def test_each_setting_counts_or_is_named_as_one_that_does_not() -> None:
    fields = {
        field.name
        for settings in (Config, CheckSettings)
        for field in msgspec.structs.fields(settings)
    }
    assert fields - NOT_IN_FINGERPRINT == {*OTHERS, *OTHER_CHECKS, "scorer_weight"}
    assert fields >= NOT_IN_FINGERPRINT


def test_a_first_checker_and_what_it_leaves_to_the_second_count() -> None:
    def with_first(rule: EscalationRule = EscalationRule(), **fields: Any) -> str:  # noqa: B008
        check = with_screen(CheckSettings(**fields), CONFIG.check, rule)
        return fingerprint(replace(CONFIG, check=check))

    rules = [EscalationRule(below=0.5), EscalationRule(share=0.5)]
    found = [fingerprint(CONFIG), with_first(), *map(with_first, rules), with_first(scorer="model")]
    assert len(set(found)) == 5
    assert with_first(max_in_flight=1, proxy="http://proxy:1") == with_first()


def test_how_a_run_works_may_change() -> None:
    check = replace(CONFIG.check, max_in_flight=1, proxy="http://proxy:1", cache_bytes=0)
    other = replace(CONFIG, check=check, output="elsewhere", run="r2")
    assert fingerprint(other) == fingerprint(CONFIG)


def test_how_much_text_leaves_may_change() -> None:
    other = replace(CONFIG, text=TextMode.HASH, failure_payload=False)
    assert fingerprint(other) == fingerprint(CONFIG)


_PROGRAM = """
from tests.launch.backfill.test_fingerprint import *
print(fingerprint(replace(CONFIG, alerts=AlertRule(verdicts=frozenset(Verdict)))))
"""


def test_a_run_that_another_process_resumes_has_the_same_fingerprint() -> None:
    assert re.fullmatch("[0-9a-f]{64}\n", output_under_any_hash_seed(_PROGRAM))
