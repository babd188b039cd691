"""Derive the rules of the steps from the settings of a job."""

import pytest

from groundwatch.pipeline.settings.job import AlertSettings, SamplingSettings
from groundwatch.pipeline.settings.load import load
from groundwatch.transforms.rules.rate_incidents import RateRule
from groundwatch.transforms.rules.sampling import SamplingRule

RULES = {
    "": SamplingRule(),
    "--sample 0.25": SamplingRule(rate=0.25),
    "--sample shop=0 help=1": SamplingRule(engine_rates={"shop": 0.0, "help": 1.0}),
    "--sample shop=0.5 --sample 0.1": SamplingRule(rate=0.1, engine_rates={"shop": 0.5}),
    # The last of several for the same.
    "--sample 0.1 0.2 shop=0.3 shop=0.4": SamplingRule(rate=0.2, engine_rates={"shop": 0.4}),
    "--sample a=b=0.5": SamplingRule(engine_rates={"a=b": 0.5}),
}


@pytest.mark.parametrize(("arguments", "rule"), RULES.items(), ids=RULES)
def test_sample_rates_are_parsed_by_engine(arguments: str, rule: SamplingRule) -> None:
    loaded = load(SamplingSettings, arguments.split(), {})
    assert loaded.problems == []
    assert loaded.settings.rule == rule


BAD_RATES = {
    "2": "must be a number from 0 to 1",
    "10%": "must be a number from 0 to 1",
    "shop=": "must be a number from 0 to 1",
    "=0.5": "must have the form NUMBER or ENGINE=NUMBER",
}


@pytest.mark.parametrize(("text", "problem"), BAD_RATES.items(), ids=BAD_RATES)
def test_an_invalid_sample_rate_is_refused(text: str, problem: str) -> None:
    found = load(SamplingSettings, ["--sample", text], {}).problems
    assert found == [f"--sample {text}: {problem}"]


def test_the_default_rule_of_rates_is_that_of_the_step() -> None:
    assert load(AlertSettings, [], {}).settings.rates == RateRule()


def test_an_incident_closes_at_half_of_what_opens_it() -> None:
    loaded = load(AlertSettings, ["--rate_budget=0.2", "--rate_burn=3"], {})
    assert loaded.problems == []
    assert loaded.settings.rates == RateRule(budget=0.2, burn_rate=3.0, closing_burn_rate=1.5)


@pytest.mark.parametrize(
    ("given", "verdicts", "tags"),
    [
        ([], {"LOW_GROUNDED", "POLICY_SKIPPED"}, set()),
        (["GROUNDED"], {"GROUNDED"}, set()),
        (["TRUNCATED"], {"LOW_GROUNDED", "POLICY_SKIPPED"}, {"TRUNCATED"}),
        (["INCOMPLETE", "TRUNCATED", "AUDITED"], {"INCOMPLETE"}, {"TRUNCATED", "AUDITED"}),
    ],
)
def test_verdicts_replace_the_defaults_and_tags_are_added(
    given: list[str], verdicts: set[str], tags: set[str]
) -> None:
    flags = ["--alert_verdicts", *given] if given else []
    rule = load(AlertSettings, flags, {}).settings.rule
    assert (rule.verdicts, rule.tags) == (verdicts, tags)
