"""Derive the settings of the check from flags."""

from math import inf
from pathlib import Path
from typing import Any

import pytest

from groundwatch.pipeline.settings import checker
from groundwatch.pipeline.settings.checker import CheckerSettings, CostSettings
from groundwatch.pipeline.settings.load import load
from groundwatch.schemas.planned_run import Budget
from tests.support.entailment_models import write_model


def settings_of(*arguments: str) -> CheckerSettings:
    loaded = load(CheckerSettings, arguments, {})
    assert (loaded.others, loaded.problems) == ([], [])
    return loaded.settings


GOOGLE, DEFAULT = "--checker=discoveryengine", "groundingConfigs/default_grounding_config"
STRICT = "projects/p/locations/us/groundingConfigs/strict"
PLACES = {
    f"{GOOGLE} --project shop": (
        "https://discoveryengine.googleapis.com",
        f"projects/shop/locations/global/{DEFAULT}",
    ),
    f"{GOOGLE} --project shop --location eu": (
        "https://eu-discoveryengine.googleapis.com",
        f"projects/shop/locations/eu/{DEFAULT}",
    ),
    f"{GOOGLE} --grounding_config={STRICT}": ("https://us-discoveryengine.googleapis.com", STRICT),
    "": ("", f"projects/-/locations/global/{DEFAULT}"),
    "--checker http://127.0.0.1:8080/": (
        "http://127.0.0.1:8080",
        f"projects/-/locations/global/{DEFAULT}",
    ),
}


@pytest.mark.parametrize(("arguments", "place"), PLACES.items(), ids=PLACES)
def test_the_address_and_the_configuration_agree(arguments: str, place: tuple[str, str]) -> None:
    settings = settings_of(*arguments.split()).check()
    assert (settings.endpoint, settings.grounding_config) == place


CONTRADICTIONS = {
    GOOGLE: "needs --project",
    f"--location=eu --grounding_config={STRICT}": "is not the location in --grounding_config",
    "--grounding_config=projects/p/locations/us-central1/groundingConfigs/c": (
        "must be global, us or eu"
    ),
}


@pytest.mark.parametrize(("arguments", "problem"), CONTRADICTIONS.items(), ids=CONTRADICTIONS)
def test_options_that_contradict_each_other_are_named(arguments: str, problem: str) -> None:
    [found] = load(CheckerSettings, arguments.split(), {}).problems
    assert problem in found


def test_only_googles_service_is_sent_credentials() -> None:
    own = settings_of("--checker", "https://checker.example").check()
    google = settings_of("--checker", "discoveryengine", "--project", "shop").check()
    assert own.account is None
    assert google.account is not None


def test_the_quota_is_divided_by_the_workers() -> None:
    settings = settings_of("--requests_per_minute", "300", "--checker", "http://127.0.0.1:1")
    assert settings.check(workers=4).requests_per_minute == 75
    assert settings_of().check(workers=4).requests_per_minute is None


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
def test_a_budget_is_converted_to_calls_or_characters(arguments: list[str], budget: Budget) -> None:
    assert load(CostSettings, arguments, {}).settings.budget == budget


def test_a_model_scores_in_the_embedded_checker_only(tmp_path: Path) -> None:
    given = "--scorer", write_model(tmp_path / "mine")
    settings = settings_of(*given).check()
    assert (settings.scorer, settings.checker_name) == (str(tmp_path / "mine"), "local+mine")
    [problem] = load(CheckerSettings, [*given, "--checker", "http://127.0.0.1:1"], {}).problems
    assert problem == "--scorer: has no effect without --checker local or --escalate local"


@pytest.mark.parametrize(
    ("flags", "where", "expected"),
    [
        ([], {}, 8),
        ([], {"workers": 4}, 2),
        ([], {"workers": 99}, 1),
        ([], {"is_here": False}, 1),
        (["--max_in_flight", "3"], {"workers": 4}, 3),
        (["--scorer_weight", "0"], {}, 128),
    ],
)
def test_the_calls_of_a_model_share_the_processors_of_this_machine(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    flags: list[str],
    where: dict[str, Any],
    expected: int,
) -> None:
    monkeypatch.setattr(checker, "usable_processors", lambda: 8)
    given = "--scorer", write_model(tmp_path / "mine"), *flags
    assert settings_of(*given).check(**where).max_in_flight == expected


def test_a_model_without_weight_is_left_out(tmp_path: Path) -> None:
    given = "--scorer", write_model(tmp_path / "mine"), "--scorer_weight", "0"
    settings = settings_of(*given).check()
    assert (settings.scorer, settings.checker_name) == (None, "local")
    assert settings.is_lexical
    [problem] = load(CheckerSettings, [*given, "--escalate", "local"], {}).problems
    assert problem.startswith("--escalate local: needs --scorer, a model, and --scorer_weight")


@pytest.mark.parametrize(("text", "weight"), [("inf", inf), ("0.5", 0.5), ("3", 3.0)])
def test_the_weight_of_a_model_is_any_number_from_0(
    tmp_path: Path, text: str, weight: float
) -> None:
    given = "--scorer", write_model(tmp_path / "mine"), "--scorer_weight", text
    assert settings_of(*given).check().scorer_weight == weight
