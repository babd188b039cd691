"""Claims scored by words and a model of known answers together, through the embedded checker."""

from math import inf
from pathlib import Path

import pytest
from msgspec.structs import replace

from groundwatch.schemas.wire.grounding_check import CheckRequest, CheckResponse
from groundwatch.transforms.grounding.embedded_service import BY_WORDS, load_checker
from groundwatch.transforms.grounding.errors import Misconfigured
from groundwatch.transforms.lexical.scores.support_score import (
    logit,
    sigmoid,
    support_score_of_log_odds,
)
from tests.support.checks import check_request
from tests.support.entailment_models import Head, write_model

THINGS = ("lamps", "kettles", "chairs", "tables", "clocks", "doors", "mugs", "pens", "rugs", "bags")
COLOURS = ("red", "blue", "green", "white", "black")
FACTS = [f"Some {thing} in the shop were painted last spring by its owner." for thing in THINGS]
FACTS[3] = FACTS[3].replace("painted", "painted red")
CLAIMS = [
    f"Customers find {thing} that are {colour}{end}."
    for thing in THINGS
    for colour in COLOURS
    for end in (" in the shop", " and soft")
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model with log odds of 2 for two or more "red" among facts and claim, else less."""
    return write_model(tmp_path_factory.mktemp("both_red"))


def reply_of(folder: str, weight: float, request: CheckRequest) -> CheckResponse:
    return load_checker(folder, weight).check(request)


def log_odds_of(folder: str, weight: float, request: CheckRequest) -> list[float]:
    claims = reply_of(folder, weight, request).claims
    return [logit(claim.score) for claim in claims if claim.score is not None]


@pytest.mark.parametrize("weight", [0.25, 1.0, 2.0])
def test_the_score_of_each_of_100_claims_is_the_sum_computed_by_hand(
    folder: str, weight: float
) -> None:
    requests = [
        check_request(" ".join(CLAIMS[n : n + 4]), *FACTS[n % 7 :]) for n in range(0, 100, 4)
    ]
    words, model, both = (
        [each for request in requests for each in log_odds_of(folder, its_weight, request)]
        for its_weight in (0.0, inf, weight)
    )
    assert len(both) == 100
    assert all(
        len({round(each, 3) for each in some}) > least for some, least in ((words, 8), (model, 2))
    )
    expected = [a + weight * b for a, b in zip(words, model, strict=True)]
    assert both == pytest.approx(expected, abs=1e-9)


def test_a_calibrated_model_is_asked_only_what_the_words_leave_uncertain(tmp_path: Path) -> None:
    model = write_model(tmp_path, calibration={"weight": 0.5, "ask_below": 0.0})
    requests = [check_request(claim, *FACTS) for claim in (*CLAIMS[:8], FACTS[3])]
    words, alone, both = (
        [each for request in requests for each in log_odds_of(model, weight, request)]
        for weight in (0.0, inf, 1.0)
    )
    assert min(words) < 0 < max(words)
    assert both == pytest.approx(
        [a if a >= 0 else a + b for a, b in zip(words, alone, strict=True)]
    )


@pytest.mark.parametrize("wrong", ["weight", "usual_words", "sentences"])
def test_a_calibration_of_0_is_refused(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(Misconfigured, match=rf"--scorer .*{wrong}"):
        load_checker(write_model(tmp_path, calibration={wrong: 0}), 1.0)


def test_without_weight_the_words_alone_reply(folder: str) -> None:
    request = check_request(" ".join(CLAIMS[:4]), *FACTS)
    assert reply_of(folder, 0.0, request) == BY_WORDS.check(request)


def test_what_contradicts_a_fact_stays_low_however_sure_the_model_is(folder: str) -> None:
    facts = "The red lamps in the shop weigh 3 kg, and are made by hand."
    request = check_request("The red lamps in the shop weigh 5 kg, and are made by hand.", facts)
    [claim] = reply_of(folder, 1.0, request).claims
    [alone] = reply_of(folder, inf, request).claims
    assert claim.score == pytest.approx(0.2)
    assert claim.mismatches
    assert (alone.score or 0) > 0.8
    assert alone.mismatches is None


def test_the_support_score_is_that_of_the_sums(folder: str) -> None:
    request = check_request(CLAIMS[0], *FACTS)
    [log_odds] = log_odds_of(folder, 1.0, request)
    assert reply_of(folder, 1.0, request).support_score == pytest.approx(
        support_score_of_log_odds([log_odds])
    )


def test_a_short_answer_beside_the_facts_is_left_to_the_model(folder: str) -> None:
    request = replace(
        check_request(f"Yes, of course! {FACTS[0]}", *FACTS), query="Is parking free for guests?"
    )
    words, model, both = (reply_of(folder, weight, request).claims[0] for weight in (0.0, inf, 0.5))
    assert words.score is None
    assert both.score == pytest.approx(sigmoid(0.5 * logit(model.score or 0)))


@pytest.mark.parametrize("weight", [1.0, inf])
@pytest.mark.parametrize("head", ["sequence", "token"])
def test_words_alone_decide_in_a_language_that_the_model_does_not_read(
    tmp_path: Path, weight: float, head: Head
) -> None:
    labels = "supported" if head == "token" else "entailment", "hallucinated"
    model = write_model(tmp_path, head=head, labels=labels, language="en")
    english = check_request("Red, red, red, yes.".lower(), "red red (red) 2024, red")
    german = check_request("Lampen sind rot.", "Alle Lampen im Laden sind rot.")
    by_words = BY_WORDS.check(german)
    assert by_words.support_score
    assert reply_of(model, weight, german) == replace(by_words, unread_language=True)
    read = reply_of(model, weight, english)
    assert read.support_score != BY_WORDS.check(english).support_score
    assert not read.unread_language


def test_a_token_classifier_is_added_likewise(tmp_path: Path) -> None:
    tokens = write_model(tmp_path, head="token", labels=("supported", "hallucinated"))
    request = check_request(" ".join(CLAIMS[:8]), *FACTS)
    words, model, both = (log_odds_of(tokens, weight, request) for weight in (0.0, inf, 1.0))
    assert both == pytest.approx([a + b for a, b in zip(words, model, strict=True)], abs=1e-6)
