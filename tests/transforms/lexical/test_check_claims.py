"""The embedded checker's reply: claims, citations and scores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from groundwatch.schemas.wire.grounding_check import (
    CheckedClaim,
    CheckRequest,
    GroundingFact,
    GroundingSpec,
)
from groundwatch.transforms.lexical.check_claims import check_grounding
from groundwatch.transforms.lexical.contradictions import unseen_values
from groundwatch.transforms.lexical.scores.claim_result import ClaimResult
from groundwatch.transforms.lexical.scores.weighted_sum import WeightedSum
from tests.support.checks import check_request
from tests.support.commands import output_under_any_hash_seed

LAMP = "The red desk lamp costs 20 euros."
CHAIR = "The blue garden chair weighs nine kilograms."
UNSUPPORTED = "Penguins invented submarine opera."


def test_each_sentence_is_a_claim_with_its_place_in_bytes() -> None:
    response = check_grounding(check_request(f"Olé! {LAMP}\n- {CHAIR}", LAMP, CHAIR))
    assert [(c.start_pos, c.end_pos, c.claim_text) for c in response.claims] == [
        (0, 5, "Olé!"),
        (6, 6 + len(LAMP), LAMP),
        (9 + len(LAMP), 9 + len(LAMP) + len(CHAIR), CHAIR),
    ]


def test_a_claim_cites_the_fact_that_supports_it_by_itself() -> None:
    response = check_grounding(check_request(f"{CHAIR} {LAMP} {CHAIR}", "Tables.", LAMP, CHAIR))
    assert [chunk.source for chunk in response.cited_chunks] == ["1", "2"]
    assert [chunk.chunk_text for chunk in response.cited_chunks] == [LAMP, CHAIR]
    assert [claim.citation_indices for claim in response.claims] == [(1,), (0,), (1,)]


def test_a_claim_that_no_fact_supports_cites_none_and_scores_low() -> None:
    response = check_grounding(check_request(UNSUPPORTED, LAMP, CHAIR))
    (claim,) = response.claims
    assert claim.grounding_check_required is True
    assert (claim.citation_indices, list(response.cited_chunks)) == ((), [])
    assert claim.score is not None
    assert claim.score < 0.2


def test_a_fact_is_cited_with_its_attributes() -> None:
    fact = GroundingFact(fact_text=LAMP, attributes={"title": "Prices"})
    (chunk,) = check_grounding(CheckRequest(answer_candidate=LAMP, facts=(fact,))).cited_chunks
    assert chunk.source_metadata == {"title": "Prices"}


def score_of(claim: str, *facts: str) -> float:
    """The score of an only claim."""
    (checked,) = check_grounding(check_request(claim, *facts)).claims
    assert checked.score is not None
    return checked.score


def test_attributes_take_part_in_the_check() -> None:
    def score(attributes: dict[str, str]) -> float:
        request = CheckRequest(
            answer_candidate="Wikipedia says lamps are red.",
            facts=(GroundingFact(fact_text="Lamps are red.", attributes=attributes),),
            grounding_spec=GroundingSpec(enable_claim_level_score=True),
        )
        return check_grounding(request).claims[0].score or 0

    assert score({"author": "Wikipedia"}) > score({})


@pytest.mark.parametrize(
    ("threshold", "cited"), [(None, True), (0.0, True), (0.9, True), (0.95, False), (1.0, False)]
)
def test_the_citation_threshold_decides_what_is_cited(threshold: float | None, cited: bool) -> None:
    response = check_grounding(check_request(LAMP, LAMP, citation_threshold=threshold))
    assert bool(response.cited_chunks) is cited


def test_eight_facts_are_looked_at_for_citations_the_fullest_and_first_ones() -> None:
    facts = ["red lamp", *[LAMP] * 9]
    (claim,) = check_grounding(check_request(LAMP, *facts)).claims
    response = check_grounding(check_request(LAMP, *facts))
    assert [chunk.source for chunk in response.cited_chunks] == list("12345678")
    assert len(claim.citation_indices) == 8


def test_a_sentence_that_requires_no_check_has_neither_score_nor_citation() -> None:
    request = check_request(f"Hello! {LAMP}", "Hello!", LAMP)
    greeting, claim = check_grounding(request).claims
    assert greeting == CheckedClaim(end_pos=6, claim_text="Hello!", grounding_check_required=False)
    assert claim.score == pytest.approx(0.9168, abs=1e-4)


@pytest.mark.parametrize("answer", ["Hello!", "...", "Is it red?"])
def test_without_a_claim_to_check_the_support_score_is_absent(answer: str) -> None:
    assert check_grounding(check_request(answer, LAMP)).support_score is None


def test_claims_have_scores_only_when_asked_for() -> None:
    response = check_grounding(
        CheckRequest(answer_candidate=LAMP, facts=(GroundingFact(fact_text=LAMP),))
    )
    assert response.claims[0].score is None
    assert response.support_score is not None


def test_more_supported_claims_mean_a_higher_support_score() -> None:
    scores = [
        check_grounding(check_request(answer, LAMP, CHAIR)).support_score or 0
        for answer in (UNSUPPORTED, f"{LAMP} {UNSUPPORTED}", f"{LAMP} {CHAIR}")
    ]
    assert scores == pytest.approx([0.1, 0.55, 1], abs=0.05)


_WORDS = st.lists(
    st.sampled_from(["Lamp", "red", "glows", "20", "Acme.", "日本", "é.", "\n", "Not", "costs"])
).map(" ".join)


@given(_WORDS, st.lists(_WORDS, max_size=5))
def test_scores_are_shares_and_claims_cut_the_answer(answer: str, facts: list[str]) -> None:
    response = check_grounding(check_request(answer, *facts))
    data = answer.encode()
    for claim in response.claims:
        assert data[claim.start_pos : claim.end_pos].decode() == claim.claim_text
        assert (claim.score is not None) is claim.grounding_check_required
        assert 0 <= (claim.score or 0) <= 1
        assert all(index < len(response.cited_chunks) for index in claim.citation_indices)
    assert all(int(chunk.source) < len(facts) for chunk in response.cited_chunks)


_PROGRAM = """
import msgspec
from tests.support.checks import check_request
from groundwatch.transforms.lexical.check_claims import check_grounding
words = "red lamp glows blue chair costs 20 euros Acme Rome night shop".split()
facts = [" ".join(words[i:] + words[:i]) for i in range(12)]
answer = ". ".join(" ".join(words[i::3]) for i in range(6))
print(msgspec.json.encode(check_grounding(check_request(answer, *facts))).decode())
"""


def test_the_response_is_the_same_under_any_hash_seed() -> None:
    assert '"score":' in output_under_any_hash_seed(_PROGRAM)


def test_the_largest_request_is_checked_in_bounded_work() -> None:
    fact = " ".join(f"{LAMP} {CHAIR} word{number}" for number in range(117))[:10_000]
    response = check_grounding(check_request(f"{LAMP} {CHAIR} {UNSUPPORTED}", *[fact] * 200))
    assert [bool(claim.citation_indices) for claim in response.claims] == [True, True, False]


def test_a_claim_of_known_words_gains_by_its_neighbours_unless_it_has_an_unseen_number() -> None:
    others = f"{LAMP} {CHAIR} The red garden chair costs nine euros."
    for claim, gains in (
        ("The red lamp brightens dull garden rooms.", True),
        ("The lamp brightens dull ugly rooms.", False),
        ("The red lamp brightens 77 garden rooms.", False),
    ):
        alone = score_of(claim, LAMP, CHAIR)
        checked = check_grounding(check_request(f"{others} {claim}", LAMP, CHAIR)).claims[-1]
        assert checked.score is not None
        assert (checked.score > alone + 0.01) is gains
        assert checked.score <= 0.6


@pytest.mark.parametrize(
    "claim",
    [
        "Refunds are paid in cash within 99 days.",
        "Within 99 days, refunds are paid in cash.",
        "In cash and within 99 days refunds are paid.",
        "Refunds are paid within 99 days to the original card.",
    ],
)
def test_a_value_that_neither_a_fact_nor_the_question_has_is_not_grounded(claim: str) -> None:
    fact = "Refunds are paid within 14 days to the original card."
    request = check_request(f"{CHAIR} {claim}", CHAIR, fact)
    [chair, checked] = check_grounding(request).claims
    assert checked.score == pytest.approx(0.2) or (checked.score or 1) < 0.2
    assert not checked.citation_indices
    assert (chair.score or 0) > 0.9
    asked = replace(request, query="Are refunds paid within 99 days?")
    assert check_grounding(asked).claims[1].mismatches == ()


def test_the_reply_says_where_a_limit_of_what_is_compared_was_reached(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    long = f"{LAMP[:-1]} {'and red ' * 100}."
    request = check_request(f"{CHAIR} {long}", LAMP, CHAIR)
    assert check_grounding(request).partly_compared
    assert check_grounding(
        request, lambda *_: [ClaimResult(0.0)] * 2, WeightedSum(1.0)
    ).partly_compared
    monkeypatch.setattr(unseen_values, "_MAX_COMPARISONS", 6)
    prices = [f"Lamp {number} costs {number} euros." for number in range(20, 23)]
    claim = "It costs 77 euros."
    for answer, is_partial in ((claim, False), (f"{claim} It costs 78 euros.", True)):
        assert check_grounding(check_request(answer, *prices)).partly_compared is is_partial


def test_the_replies_say_what_a_claim_contradicts_and_that_nobody_looked_where_none_was() -> None:
    response = check_grounding(check_request(f"Hello! {LAMP} {CHAIR}", LAMP.replace("20", "30")))
    assert [claim.mismatches and len(claim.mismatches) for claim in response.claims] == [
        None,
        1,
        (),
    ]
