"""Score claims by where the words of the facts are."""

from itertools import pairwise
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.transforms.lexical.claims.read_claim import read_claim
from groundwatch.transforms.lexical.scores import scoring
from groundwatch.transforms.lexical.scores.scoring import AnswerFactWords, ClaimInFacts, read_facts
from groundwatch.transforms.lexical.scores.support_score import logit


def ends(windows: int) -> list[int]:
    return [position for position in range(windows.bit_length()) if windows >> position & 1]


def facts_for(claim: str, *texts: str) -> AnswerFactWords:
    """Read facts for the words of one claim."""
    words = read_claim(claim)
    assert words is not None
    return read_facts([words], texts)


def test_a_fact_has_the_content_and_the_adjacent_pairs_of_the_claims() -> None:
    (fact,) = facts_for("Lamps hum and blue lamps glow.", "Blue lamps glow and lamps hum.").each
    assert fact.forms == {"blue", "lamps", "glow", "hum"}
    assert [fact.forms] == [windows.keys() for windows in fact.windows]
    assert fact.pairs == {("blue", "lamps"), ("lamps", "glow"), ("lamps", "hum")}


def test_a_window_holds_sixty_tokens() -> None:
    (fact,) = facts_for("lamps glow", "lamps glow").each
    (windows,) = fact.windows
    assert ends(windows["lamps"]) == list(range(60))
    assert ends(windows["glow"]) == list(range(1, 61))


@given(st.lists(st.sampled_from(["red", "lamps", "glow", "x"]), max_size=200))
def test_the_windows_of_a_form_are_those_that_hold_it(forms: list[str]) -> None:
    (fact,) = facts_for("red lamps glow", " ".join(forms)).each
    (windows,) = fact.windows
    for form, its_windows in windows.items():
        assert ends(its_windows) == [
            last for last in range(len(forms) + 59) if form in forms[max(0, last - 59) : last + 1]
        ]


def test_the_bit_sets_of_a_long_fact_are_as_short_as_those_of_a_piece() -> None:
    words = " ".join(f"w{number} lamps" for number in range(5_000))
    (fact,) = facts_for("lamps w w7 w4000", words).each
    assert max(max(map(int.bit_length, windows.values())) for windows in fact.windows) == 618
    assert frozenset().union(*fact.windows) == fact.forms == {"lamps", "7", "4000"}


def test_words_of_all_facts_are_put_together_and_no_pair_crosses_two() -> None:
    facts = facts_for("red lamps glow green", "red lamps", "lamps glow", "glow green hills")
    assert facts.missing == frozenset()
    assert facts.pairs == {("red", "lamps"), ("lamps", "glow"), ("glow", "green")}
    assert facts_for("red lamps glow", "red", "lamps glow").pairs == {("lamps", "glow")}


def test_without_facts_all_words_are_missing() -> None:
    facts = facts_for("red lamps")
    assert (facts.each, facts.missing, facts.pairs) == ([], {"red", "lamps"}, frozenset())


def in_facts(claim: str, *facts: str) -> ClaimInFacts:
    words = read_claim(claim)
    assert words is not None
    return ClaimInFacts(words, read_facts([words], facts))


def score(claim: str, *facts: str) -> float:
    """Return a claim's log odds over all facts."""
    return in_facts(claim, *facts).log_odds()


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
        pytest.param("Acme lamps", ["lamps"], 3 / 2 - 1.6, id="the first word is not a name"),
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


@pytest.mark.parametrize("before", [0, 440, 441, 498, 499, 500, 501, 559, 560, 1_000])
@pytest.mark.parametrize(("distance", "together"), [(59, 2), (60, 1)])
def test_words_count_as_close_at_any_place_of_a_long_fact(
    before: int, distance: int, together: int
) -> None:
    fact = "x " * before + "red " + "x " * (distance - 1) + "glow" + " x" * 700
    assert score("red glow", fact) == pytest.approx(3 * together / 2 - 1.6)


def test_a_dense_place_is_found_behind_a_sparse_one() -> None:
    fact = "red red red " + "x " * 80 + "glow red lamps"
    assert score("red lamps glow", fact) == pytest.approx(3 + 1 / 2 - 1.6)


def test_a_claim_with_an_unseen_number_stays_below_the_citation_threshold() -> None:
    words = "the bright red desk lamps from our oldest shop glow all night for hours"
    assert score(f"{words} 77", words) == pytest.approx(logit(0.55))


def test_the_facts_that_support_a_claim_come_with_the_likeliest_first() -> None:
    claim = in_facts("red lamps glow", "red lamps", "nothing", "Red lamps glow.", "glow")
    assert claim.supporting(0.0) == [2, 0]
    assert claim.supporting(2.4) == [2]
    assert claim.supporting(2.5) == []


def test_a_fact_with_less_than_a_third_of_the_words_supports_nothing() -> None:
    assert in_facts("red lamps glow brightly", "glow").supporting(-9.0) == []
    assert in_facts("red lamps glow", "glow").supporting(-9.0) == [0]


FORMS = ["red", "lamps", "glow", "hum"]


@given(st.lists(st.sampled_from([*FORMS, "x"]), max_size=150))
def test_the_densest_window_of_a_fact_counts(forms: list[str]) -> None:
    densest = max(
        (len({*forms[first : first + 60]} & {*FORMS}) for first in range(len(forms))), default=0
    )
    pairs = {*pairwise(forms)}
    side_by_side = sum(pair in pairs for pair in pairwise(FORMS)) / 3
    assert score(" ".join(FORMS), " ".join(forms)) == (
        pytest.approx(3 * densest / 4 + side_by_side - 1.6)
    )


TOKENS = st.lists(st.sampled_from([*FORMS, "x", "7", "Rome"]), max_size=150).map(" ".join)


@given(st.lists(TOKENS, max_size=4), st.sampled_from([-9.0, -1.0, 0.0, logit(0.6), 1.5, 2.4]))
def test_a_fact_supports_a_claim_as_if_it_were_the_only_one(facts: list[str], least: float) -> None:
    claim = "red lamps glow 7 hum in Rome"
    alone = [in_facts(claim, fact) for fact in facts]
    assert set(in_facts(claim, *facts).supporting(least)) == {
        number
        for number, fact in enumerate(alone)
        if fact.supporting(-99.0) and fact.log_odds() >= least
    }


@given(st.lists(TOKENS, max_size=4), st.lists(TOKENS, min_size=1, max_size=3))
def test_facts_read_for_all_claims_score_each_as_if_it_were_the_only_one(
    facts: list[str], claims: list[str]
) -> None:
    words = [claim for claim in map(read_claim, claims) if claim]
    for most_chars in (scoring._MAX_CACHED_CHARS, -1):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(scoring, "_MAX_CACHED_CHARS", most_chars)
            together = read_facts(words, facts)
        for claim in words:
            one = ClaimInFacts(claim, read_facts([claim], facts))
            other = ClaimInFacts(claim, together)
            assert one.log_odds() == other.log_odds()
            assert one.supporting(0.0) == other.supporting(0.0)


def test_the_windows_are_bounded_beside_facts_that_the_caches_do_not_hold() -> None:
    sizes = (150_000, 150_001)
    assert [read_facts([], ["x" * chars]).max_lookups for chars in sizes] == [inf, 2_000_000]


def test_of_very_many_windows_only_the_likeliest_facts_are_looked_at() -> None:
    far_apart = "red " + "x " * 100 + "glow"
    facts = [far_apart] * 9 + ["red glow"]
    claim = read_claim("red glow")
    assert claim is not None
    few = read_facts([claim], facts)._replace(max_lookups=10)
    assert ClaimInFacts(claim, few).log_odds() == pytest.approx(3 / 2 + 1 - 1.6)
    assert score("red glow", *facts) == pytest.approx(3 + 1 - 1.6)
