"""From the flags of the check to its settings."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from launch.flags import read_flags
from pipeline import check_options
from pipeline.check_config import check_problems, check_settings_from
from tests.support.entailment_models import write_model
from transforms.grounding.settings import Budget


def values_of(*arguments: str) -> Mapping[str, Any]:
    values, others, problems = read_flags(arguments, check_options.CHECK)
    assert (others, problems) == ([], [])
    return values


@pytest.mark.parametrize(
    ("arguments", "endpoint", "config"),
    [
        (
            ["--checker", "discoveryengine", "--project", "shop"],
            "https://discoveryengine.googleapis.com",
            "projects/shop/locations/global/groundingConfigs/default_grounding_config",
        ),
        (
            ["--checker", "discoveryengine", "--project", "shop", "--location", "eu"],
            "https://eu-discoveryengine.googleapis.com",
            "projects/shop/locations/eu/groundingConfigs/default_grounding_config",
        ),
        (
            [
                "--checker=discoveryengine",
                "--grounding_config=projects/p/locations/us/groundingConfigs/strict",
            ],
            "https://us-discoveryengine.googleapis.com",
            "projects/p/locations/us/groundingConfigs/strict",
        ),
        (
            ["--checker", "http://127.0.0.1:8080/"],
            "http://127.0.0.1:8080",
            "projects/-/locations/global/groundingConfigs/default_grounding_config",
        ),
    ],
    ids=["global", "by location", "by configuration", "an own server"],
)
def test_the_address_and_the_configuration_agree(
    arguments: list[str], endpoint: str, config: str
) -> None:
    values = values_of(*arguments)
    assert list(check_problems(values)) == []
    settings = check_settings_from(values, workers=1, work_folder=None)
    assert (settings.endpoint, settings.grounding_config) == (endpoint, config)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--checker", "discoveryengine"], "needs --project"),
        (
            [
                "--location=eu",
                "--grounding_config=projects/p/locations/us/groundingConfigs/strict",
            ],
            "is not the location in --grounding_config",
        ),
        (
            ["--grounding_config=projects/p/locations/us-central1/groundingConfigs/c"],
            "must be global, us or eu",
        ),
    ],
    ids=["no project", "two locations", "no such location"],
)
def test_options_that_contradict_each_other_are_named(arguments: list[str], problem: str) -> None:
    [found] = check_problems(values_of(*arguments))
    assert problem in found


def test_only_googles_service_is_sent_credentials() -> None:
    own = check_settings_from(
        values_of("--checker", "https://checker.example"), workers=1, work_folder=None
    )
    google = check_settings_from(
        values_of("--checker", "discoveryengine", "--project", "shop"), workers=1, work_folder=None
    )
    assert own.account is None
    assert google.account is not None


def test_the_quota_is_divided_by_the_workers() -> None:
    values = values_of("--requests_per_minute", "300")
    assert check_settings_from(values, workers=4, work_folder=None).requests_per_minute == 75


def test_without_a_quota_there_is_none() -> None:
    assert check_settings_from(values_of(), workers=4, work_folder=None).requests_per_minute is None


@pytest.mark.parametrize(
    ("arguments", "budget"),
    [
        ([], Budget()),
        (["--max_calls=7"], Budget(max_calls=7)),
        (["--max_cost=2", "--price_per_1k_chars=0.5"], Budget(max_characters=4_000)),
        (["--max_calls", "9" * 30], Budget(max_calls=2**62)),
        (["--max_cost=1e300", "--price_per_1k_chars=1e-300"], Budget(max_characters=2**62)),
    ],
    ids=["none", "calls", "cost", "more calls than can be counted", "a cost without an end"],
)
def test_a_budget_is_in_what_can_be_counted(arguments: list[str], budget: Budget) -> None:
    assert check_settings_from(values_of(*arguments), workers=1, work_folder=None).budget == budget


def test_a_model_scores_in_the_embedded_checker_only(tmp_path: Path) -> None:
    given = "--scorer", write_model(tmp_path / "mine")
    settings = check_settings_from(values_of(*given), workers=1, work_folder=None)
    assert (settings.scorer, settings.checker_name) == (str(tmp_path / "mine"), "local+mine")
    [problem] = check_problems(values_of(*given, "--checker", "http://127.0.0.1:1"))
    assert problem == "--scorer: is for --checker local"
