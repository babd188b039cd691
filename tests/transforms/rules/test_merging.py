"""The replies to the calls for one answer, put back together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.schemas.answer import Fact
from groundwatch.schemas.checked_answer import Contradiction, Grounding
from groundwatch.schemas.verdict import ContradictionKind
from groundwatch.schemas.wire.grounding_check import (
    CheckedClaim,
    CheckResponse,
    CitedChunk,
    ClaimMismatch,
)
from groundwatch.transforms.grounding.protocol import build_request
from groundwatch.transforms.grounding.settings import CheckSettings
from groundwatch.transforms.lexical.check_claims import check_grounding
from groundwatch.transforms.lexical.reading.answer_sentences import split_sentences
from groundwatch.transforms.lexical.scores.support_score import support_score
from groundwatch.transforms.rules.limits import CheckLimits
from groundwatch.transforms.rules.merging import merge_replies
from groundwatch.transforms.rules.planning import AnswerPiece, FactPiece, PlannedCall, plan_calls
from tests.support.builders import a_claim, a_fact, a_reply, a_wire_claim

OLE, RED = "Olé!", "Lamps glow."  # 5 and 11 bytes
ANSWER = AnswerPiece(text=f"{OLE} {RED}", start=0)


def call_of(answer: AnswerPiece, *pieces: tuple[int, int]) -> PlannedCall:
    """A call with the parts of facts that begin at these (fact, byte) places."""
    return PlannedCall(
        answer=answer,
        facts=tuple(FactPiece(text="x", fact=fact, start=start) for fact, start in pieces),
    )


def test_one_call_keeps_the_services_own_support_score() -> None:
    reply = a_reply(a_wire_claim(6, 17, 0.9), support_score=0.123)
    grounding = merge_replies([call_of(ANSWER, (0, 0))], [reply])
    assert (grounding.support_score, grounding.recombined) == (0.123, False)


def test_one_call_without_a_claim_to_check_has_no_support_score() -> None:
    grounding = merge_replies([call_of(ANSWER, (0, 0))], [a_reply(a_wire_claim(0, 5))])
    assert grounding == Grounding(
        support_score=None, claims=(a_claim(OLE, grounding_check_required=False),)
    )


def test_a_claim_is_cut_out_of_the_answer_and_not_believed() -> None:
    reply = a_reply(a_wire_claim(6, 17, 0.9, claim_text="Something &amp; else"))
    (claim,) = merge_replies([call_of(ANSWER, (0, 0))], [reply]).claims
    assert claim == a_claim(RED, 6, score=0.9)


def test_offsets_of_a_later_piece_count_from_the_answers_start() -> None:
    later = AnswerPiece(text=RED, start=100)
    calls = [call_of(ANSWER, (0, 0)), call_of(later, (0, 0))]
    replies = [a_reply(a_wire_claim(0, 5)), a_reply(a_wire_claim(0, 11, 0.9))]
    grounding = merge_replies(calls, replies)
    assert [(claim.start, claim.end) for claim in grounding.claims] == [(0, 5), (100, 111)]
    assert grounding.recombined


def test_claims_stand_in_the_order_of_the_answer() -> None:
    reply = a_reply(a_wire_claim(6, 17, 0.9), a_wire_claim(0, 5, 0.1))
    claims = merge_replies([call_of(ANSWER, (0, 0))], [reply]).claims
    assert [claim.start for claim in claims] == [0, 6]


def test_citations_name_the_answers_facts_and_where_their_cited_part_begins() -> None:
    call = call_of(ANSWER, (3, 0), (4, 0), (4, 20_000), (4, 40_000), (7, 0))
    reply = a_reply(a_wire_claim(6, 17, 0.9, citation_indices=(0, 2, 1)), sources="432")
    (claim,) = merge_replies([call], [reply]).claims
    assert (claim.citations, claim.citation_starts) == ((4, 7), (20_000, 0))


def test_a_claim_takes_its_best_score_and_all_citations_over_the_groups() -> None:
    calls = [call_of(ANSWER, (0, 0), (1, 0)), call_of(ANSWER, (1, 500), (2, 0))]
    replies = [
        a_reply(a_wire_claim(6, 17, 0.3, citation_indices=(0,)), sources="1"),
        a_reply(a_wire_claim(6, 17, 0.7, citation_indices=(0, 1)), sources="01"),
    ]
    (claim,) = merge_replies(calls, replies).claims
    assert claim == a_claim(RED, 6, score=0.7, citations=(1, 2), citation_starts=(0, 0))


@pytest.mark.parametrize("scores", [(0.9, 0.1), (0.1, 0.9)])
def test_of_several_claims_of_a_reply_over_one_span_the_worst_score_stands(
    scores: tuple[float, float],
) -> None:
    found = ClaimMismatch(kind=ContradictionKind.NUMBER, fact=0)
    replies = [
        a_reply(
            *(
                a_wire_claim(6, 17, score, mismatches=(found,) if score < 0.5 else ())
                for score in scores
            )
        ),
        a_reply(a_wire_claim(6, 17, 0.05)),
    ]
    for answered in (1, 2):  # another group of facts supports it less
        calls = [call_of(ANSWER, (fact, 0)) for fact in range(answered)]
        grounding = merge_replies(calls, replies[:answered])
        assert grounding.claims == (a_claim(RED, 6, score=0.1),)
        assert [each.claim for each in grounding.contradictions or ()] == [0]


REQUIRED = {
    "both": (True, True, True),
    "one": (False, True, True),
    "neither": (False, False, False),
    "one says nothing": (None, False, False),
    "nobody says": (None, None, None),
}


@pytest.mark.parametrize(("first", "second", "merged"), REQUIRED.values(), ids=REQUIRED)
def test_a_claim_requires_a_check_if_any_group_says_so(
    first: bool | None, second: bool | None, merged: bool | None
) -> None:
    calls = [call_of(ANSWER, (0, 0)), call_of(ANSWER, (1, 0))]
    replies = [
        a_reply(a_wire_claim(6, 17, grounding_check_required=said)) for said in (first, second)
    ]
    assert merge_replies(calls, replies).claims[0].grounding_check_required is merged


def test_several_calls_are_scored_by_their_claims_scores() -> None:
    calls = [call_of(ANSWER, (0, 0)), call_of(ANSWER, (1, 0))]
    replies = [
        a_reply(a_wire_claim(0, 5), a_wire_claim(6, 17, score), support_score=0.0)
        for score in (0.2, 0.7)
    ]
    assert merge_replies(calls, replies).support_score == support_score([0.7])


def test_without_claim_scores_each_piece_counts_by_its_best_group() -> None:
    later = AnswerPiece(text=RED, start=100)
    calls = [call_of(piece, (fact, 0)) for piece in (ANSWER, later) for fact in (0, 1)]
    replies = [a_reply(support_score=score) for score in (0.8, 0.2, 0.0, None)]
    assert merge_replies(calls, replies).support_score == pytest.approx(0.4)


def test_several_calls_without_any_score_have_no_support_score() -> None:
    calls = [call_of(ANSWER, (0, 0)), call_of(ANSWER, (1, 0))]
    assert merge_replies(calls, [a_reply(), a_reply()]).support_score is None


_SENTENCES = (
    "The red desk lamp costs 20 euros. ",
    "Penguins invented submarine opera. ",
    "Hello there! ",
    "東京は日本の首都です。",
    "\n- The blue garden chair weighs nine kilograms. ",
    "\n| Plan. Basic | 5 euros |\n",
)
_FACTS = (
    "The red desk lamp costs 20 euros.",
    "A blue garden chair. It weighs nine kilograms.",
    "The desk lamp is red.",
    "It costs 20 euros.",
    "東京は日本の首都です。",
    "Plan: Basic for 5 euros.",
)
_answers = st.lists(st.sampled_from(_SENTENCES), min_size=1, max_size=8).map("".join)
_fact_lists = st.lists(st.sampled_from(_FACTS).map(a_fact), min_size=1, max_size=6)
_limits = st.builds(
    CheckLimits,
    max_facts=st.integers(1, 4),
    max_fact_chars=st.integers(12, 60),
    max_answer_tokens=st.integers(12, 40),
)
SETTINGS = CheckSettings()


@given(_answers, _fact_lists, _limits)
def test_a_split_check_finds_the_same_claims_and_no_score_below_any_single_groups(
    text: str, facts: list[Fact], limits: CheckLimits
) -> None:
    calls = plan_calls(text, facts, limits)
    replies = [check_grounding(build_request(call, facts, SETTINGS)) for call in calls]
    merged = merge_replies(calls, replies)
    assert [(c.text, c.start, c.end) for c in merged.claims] == [
        (s.text, s.start_byte, s.end_byte) for s in split_sentences(text)
    ]
    for claim in merged.claims:
        assert text.encode()[claim.start : claim.end].decode() == claim.text
        assert all(0 <= fact < len(facts) for fact in claim.citations)
        assert (claim.score or 0) >= max(_scores_of(claim.start, calls, replies), default=0)


def _scores_of(
    start: int, calls: tuple[PlannedCall, ...], replies: list[CheckResponse]
) -> list[float]:
    return [
        claim.score
        for call, reply in zip(calls, replies, strict=True)
        for claim in reply.claims
        if call.answer.start + claim.start_pos == start and claim.score is not None
    ]


_places = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), min_size=1, max_size=4)


@given(_places, st.data())
def test_a_claim_cites_each_fact_once_at_its_lowest_start(
    places: list[tuple[int, int]], data: st.DataObject
) -> None:
    indices = st.lists(st.integers(0, len(places) - 1), max_size=4)
    cited = data.draw(indices)
    wire = CheckedClaim(start_pos=6, end_pos=17, citation_indices=tuple(cited))
    chunks = tuple(CitedChunk(source=str(index)) for index in range(len(places)))
    reply = CheckResponse(cited_chunks=chunks, claims=(wire,))
    [claim] = merge_replies([call_of(ANSWER, *places)], [reply]).claims
    found = [places[index] for index in cited]
    facts = sorted({fact for fact, _ in found})
    assert claim.citations == tuple(facts)
    assert claim.citation_starts == tuple(
        min(start for cited_fact, start in found if cited_fact == fact) for fact in facts
    )


def test_contradictions_name_the_claim_and_the_fact_of_the_answer() -> None:
    found = ClaimMismatch(kind="NUMBER", claim_value="3", fact_value="2", fact=1)
    reply = a_reply(a_wire_claim(0, 5), a_wire_claim(6, 17, 0.2, mismatches=(found,)))
    grounding = merge_replies([call_of(ANSWER, (4, 0), (7, 0))], [reply])
    assert grounding.contradictions == (
        Contradiction(claim=1, kind="NUMBER", claim_value="3", fact_value="2", fact=7),
    )


def test_a_claim_that_other_facts_support_is_not_contradicted() -> None:
    found = ClaimMismatch(kind="NUMBER", claim_value="3", fact_value="2", fact=0)
    contradicted = a_reply(a_wire_claim(6, 17, 0.2, mismatches=(found,)))
    supported = a_reply(a_wire_claim(6, 17, 0.9, mismatches=()))
    calls = [call_of(ANSWER, (0, 0)), call_of(ANSWER, (1, 0))]
    assert merge_replies(calls, [contradicted, supported]).contradictions == ()
    unsupported = a_reply(a_wire_claim(6, 17, 0.1, mismatches=()))
    assert merge_replies(calls, [contradicted, unsupported]).contradictions != ()


def test_a_checker_that_does_not_look_for_contradictions_says_none() -> None:
    reply = a_reply(a_wire_claim(6, 17, 0.2))
    assert merge_replies([call_of(ANSWER, (0, 0))], [reply]).contradictions is None
