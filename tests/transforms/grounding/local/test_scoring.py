from math import exp

import pytest

from transforms.grounding.local.claims import read_claim
from transforms.grounding.local.index import index_facts
from transforms.grounding.local.scoring import claim_log_odds
from transforms.rules.log_odds import logit, sigmoid
from transforms.rules.support import support_score_of_log_odds


def score(claim: str, *facts: str) -> float:
    """Return a claim's log odds over all facts."""
    words = read_claim(claim)
    assert words is not None
    index = index_facts(facts, [words]).together
    return claim_log_odds(words, index, words.distinct & index.places.keys())


@pytest.mark.parametrize(
    ("claim", "facts", "expected"),
    [
        pytest.param("red lamps glow", ["Red lamps glow."], 3 + 1 - 1.6, id="word for word"),
        pytest.param("red lamps glow", ["nothing"], -1.6, id="nothing found"),
        pytest.param("red lamps glow", [], -1.6, id="no fact"),
        pytest.param("red lamps glow", ["glow lamps red"], 3 - 1.6, id="other order"),
        pytest.param("red lamps glow", ["red lamps"], 3 * 2 / 3 + 1 / 2 - 1.6, id="one missing"),
        pytest.param("red lamps buzz buzz", ["red lamps"], 3 * 2 / 4 + 1 / 3 - 1.6, id="twice"),
        pytest.param("lamps", ["lamps"], 3 + 1 - 1.6, id="a single token found"),
        pytest.param("lamps", ["red"], -1.6, id="a single token not found"),
        pytest.param("lamps cost 5", ["lamps cost"], 2 + 1 / 2 - 1 - 1.6, id="number missing"),
        pytest.param("lamps by Acme", ["lamps by"], 3 / 2 + 1 / 2 - 0.5 - 1.6, id="name missing"),
        pytest.param("Acme lamps", ["lamps"], 3 / 2 - 1.6, id="the first word is no name"),
        pytest.param("1 2 3 4 6 7", ["none"], -5 - 1.6, id="five missing numbers at most"),
        pytest.param("red glow", ["red", "glow"], 3 / 2 - 1.6, id="two facts are not together"),
    ],
)
def test_a_claim_scores_by_its_words(claim: str, facts: list[str], expected: float) -> None:
    assert score(claim, *facts) == pytest.approx(expected)


@pytest.mark.parametrize(("distance", "together"), [(59, 2), (60, 1)])
def test_words_count_as_together_within_sixty_positions(distance: int, together: int) -> None:
    fact = "red " + "x " * (distance - 1) + "glow"
    assert score("red glow", fact) == pytest.approx(3 * together / 2 - 1.6)


def test_a_dense_place_is_found_behind_a_sparse_one() -> None:
    fact = "red red red " + "x " * 80 + "glow red lamps"
    assert score("red lamps glow", fact) == pytest.approx(3 + 1 / 2 - 1.6)


def test_a_claim_with_an_unseen_number_stays_below_the_citation_threshold() -> None:
    words = "the bright red desk lamps from our oldest shop glow all night for hours"
    assert score(f"{words} 77", words) == pytest.approx(logit(0.55))


def test_below_the_floor_a_score_need_not_be_exact_but_is_below_it() -> None:
    words = read_claim("red lamps glow")
    assert words is not None
    index = index_facts(["red " + "x " * 99 + "lamps"], [words]).together
    found = words.distinct & index.places.keys()
    exact = claim_log_odds(words, index, found)
    assert exact <= claim_log_odds(words, index, found, floor=2.0) < 2.0
    assert claim_log_odds(words, index, found, floor=exact) == exact


def test_the_support_score_of_no_claim_is_absent() -> None:
    assert support_score_of_log_odds([]) is None


def test_the_support_score_follows_the_share_of_supported_claims() -> None:
    good, bad = logit(0.9), logit(0.1)
    assert support_score_of_log_odds([good, good]) == pytest.approx(1, abs=0.01)
    assert support_score_of_log_odds([good, bad]) == pytest.approx(0.5, abs=0.01)
    assert support_score_of_log_odds([logit(0.4)]) == pytest.approx(0.5)


def test_log_odds_and_scores_are_each_other_s_inverse() -> None:
    assert sigmoid(logit(0.3)) == pytest.approx(0.3)
    assert sigmoid(2.4) == pytest.approx(1 / (1 + exp(-2.4)))
    assert (logit(0), logit(1)) == (float("-inf"), float("inf"))
