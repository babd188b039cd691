"""The calls for an answer, each within the limits."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.answer import Fact
from schemas.checked_answer import Claim
from tests.support.builders import a_claim, a_fact
from tests.support.texts import any_text, said_text
from transforms.rules.limits import CheckLimits, count_tokens
from transforms.rules.planning import (
    AnswerPiece,
    FactPiece,
    PlannedCall,
    PlannedRecheck,
    billed_characters,
    max_recheck_chars,
    min_calls,
    plan_calls,
    plan_rechecks,
    plan_within,
)
from transforms.rules.sentences import split_sentences

THRESHOLD = 0.6
limits_of = st.builds(
    CheckLimits,
    max_facts=st.integers(1, 4),
    max_fact_chars=st.integers(1, 30),
    max_answer_tokens=st.integers(1, 12),
)
facts_of = st.lists(said_text.map(a_fact), min_size=1, max_size=6)


def facts(*texts: str) -> list[Fact]:
    return [a_fact(text) for text in texts]


def test_what_fits_is_one_call_with_everything_as_it_is() -> None:
    assert plan_calls(" Olé! ", facts("a", "b"), CheckLimits()) == (
        PlannedCall(
            answer=AnswerPiece(text=" Olé! ", start=0),
            facts=(FactPiece(text="a", fact=0, start=0), FactPiece(text="b", fact=1, start=0)),
        ),
    )


@pytest.mark.parametrize(("count", "calls"), [(199, 1), (200, 1), (201, 2), (401, 3)])
def test_no_call_has_more_facts_than_the_service_takes(count: int, calls: int) -> None:
    planned = plan_calls("A.", facts(*map(str, range(count))), CheckLimits())
    assert len(planned) == calls
    assert [piece.fact for call in planned for piece in call.facts] == list(range(count))


@pytest.mark.parametrize(("chars", "starts"), [(9_999, [0]), (10_000, [0]), (10_001, [0, 20_000])])
def test_a_fact_over_the_limit_goes_in_parts_that_know_their_bytes(
    chars: int, starts: list[int]
) -> None:
    (call,) = plan_calls("A.", facts("é" * chars), CheckLimits())
    assert [(piece.fact, piece.start) for piece in call.facts] == [(0, start) for start in starts]


@pytest.mark.parametrize(("tokens", "calls"), [(4_095, 1), (4_096, 1), (4_097, 2)])
def test_an_answer_over_the_limit_goes_in_parts(tokens: int, calls: int) -> None:
    assert len(plan_calls("word " * tokens, facts("a"), CheckLimits())) == calls


def test_every_part_of_the_answer_meets_every_group_of_facts_in_the_answers_order() -> None:
    limits = CheckLimits(max_facts=1, max_answer_tokens=2)
    planned = plan_calls("Olé. Two.", facts("a", "b"), limits)
    assert [(call.answer.text, call.answer.start, call.facts[0].text) for call in planned] == [
        ("Olé. ", 0, "a"),
        ("Olé. ", 0, "b"),
        ("Two.", 6, "a"),
        ("Two.", 6, "b"),
    ]


def test_a_part_of_white_space_alone_is_not_sent() -> None:
    limits = CheckLimits(max_fact_chars=4)
    (call,) = plan_calls("A.", facts("One.     Two."), limits)
    assert [(piece.text, piece.start) for piece in call.facts] == [("One.", 0), ("Two.", 9)]


def assert_within(limits: CheckLimits, calls: Sequence[PlannedCall | PlannedRecheck]) -> None:
    for call in calls:
        assert 0 < count_tokens(call.answer.text) <= limits.max_answer_tokens
        assert 0 < len(call.facts) <= limits.max_facts
        assert all(0 < len(piece.text) <= limits.max_fact_chars for piece in call.facts)


@given(said_text, facts_of, limits_of)
def test_no_call_is_over_a_limit_whatever_the_text(
    text: str, given_facts: list[Fact], limits: CheckLimits
) -> None:
    planned = plan_calls(text, given_facts, limits)
    assert planned
    assert_within(limits, planned)


@given(said_text, facts_of, limits_of)
def test_the_fewest_calls_are_never_more_than_those_planned(
    text: str, given_facts: list[Fact], limits: CheckLimits
) -> None:
    assert min_calls(text, given_facts, limits) <= len(plan_calls(text, given_facts, limits))


FEWEST = {
    "what fits": ("A.", ["a"], 1),
    "a long answer": ("word " * 8_193, ["a"], 3),
    "many facts": ("A.", ["a"] * 401, 3),
    "a long fact": ("A.", ["a" * 2_000_001], 2),
    "each with each": ("word " * 8_193, ["a"] * 401, 9),
    "white space is not sent": ("A.", ["a" + " " * 3_000_000], 1),
}


@pytest.mark.parametrize(("text", "texts", "calls"), FEWEST.values(), ids=FEWEST)
def test_the_fewest_calls_follow_from_the_sizes(text: str, texts: list[str], calls: int) -> None:
    assert min_calls(text, facts(*texts), CheckLimits()) == calls


@given(said_text, facts_of, limits_of)
def test_every_part_stands_where_it_says_and_nothing_said_is_left_out(
    text: str, given_facts: list[Fact], limits: CheckLimits
) -> None:
    planned = plan_calls(text, given_facts, limits)
    answer_parts = list({call.answer.start: call.answer for call in planned}.values())
    fact_parts = {(piece.fact, piece.start): piece for call in planned for piece in call.facts}
    for part, whole in [
        *((part, text) for part in answer_parts),
        *((part, given_facts[part.fact].text) for part in fact_parts.values()),
    ]:
        data = part.text.encode()
        assert whole.encode()[part.start : part.start + len(data)] == data
    assert "".join("".join(part.text for part in answer_parts).split()) == "".join(text.split())
    sent = "".join(part.text for part in fact_parts.values())
    assert "".join(sent.split()) == "".join(
        word for fact in given_facts for word in fact.text.split()
    )


def planned_for(*texts: str, limits: CheckLimits) -> tuple[PlannedCall, ...]:
    return plan_calls("Lamps glow.", facts(*texts), limits)


def test_one_group_of_facts_leaves_no_doubt() -> None:
    limits = CheckLimits(max_facts=2)
    calls = planned_for("a", "b", limits=limits)
    assert plan_rechecks(calls, [a_claim(score=0.1)], THRESHOLD, limits) == ()


DOUBTS = {
    "below the threshold": (a_claim(score=0.5999), True),
    "at the threshold": (a_claim(score=0.6), False),
    "without a score": (a_claim(), False),
    "not to be checked": (a_claim(score=0.1, grounding_check_required=False), False),
    "maybe to be checked": (a_claim(score=0.1, grounding_check_required=None), True),
    "white space": (a_claim(" ", score=0.1), False),
    "a word without a full stop": (a_claim("a", score=0.1), True),
    "at the limit by itself": (a_claim("a. b. c", score=0.1), True),
    "over the limit by itself": (a_claim("a. b. c.", score=0.1), False),
}


@pytest.mark.parametrize(("claim", "is_doubtful"), DOUBTS.values(), ids=DOUBTS)
def test_a_claim_that_looks_ungrounded_is_asked_about_once_more(
    claim: Claim, is_doubtful: bool
) -> None:
    limits = CheckLimits(max_facts=1, max_answer_tokens=5)
    rechecks = plan_rechecks(planned_for("a", "b", limits=limits), [claim], THRESHOLD, limits)
    assert [recheck.claims for recheck in rechecks] == [(claim,)] * is_doubtful


def test_a_second_look_brings_the_best_facts_of_all_groups() -> None:
    limits = CheckLimits(max_facts=2)
    calls = planned_for("chairs", "lamps", "doors", "lamps glow", limits=limits)
    (recheck,) = plan_rechecks(calls, [a_claim(score=0.1)], THRESHOLD, limits)
    assert [piece.text for piece in recheck.facts] == ["lamps", "lamps glow"]


@pytest.mark.parametrize("max_tokens", [4, 5])
def test_doubtful_claims_go_a_line_each_in_as_few_calls_as_they_fit(max_tokens: int) -> None:
    limits = CheckLimits(max_facts=1, max_answer_tokens=max_tokens)
    claims = [a_claim(f"{word}.", start, score=0.1) for start, word in enumerate("abcd")]
    rechecks = plan_rechecks(planned_for("a", "b", limits=limits), claims, THRESHOLD, limits)
    assert [recheck.answer.text for recheck in rechecks] == ["a.\nb.", "c.\nd."]


@st.composite
def claims_of(draw: st.DrawFn, text: str) -> list[Claim]:
    """Any spans of the text, which a server may return as claims."""
    bounds = st.tuples(st.integers(0, len(text) - 1), st.integers(1, len(text)))
    spans = draw(st.lists(bounds.filter(lambda span: span[0] < span[1]), max_size=5))
    scores = st.one_of(st.none(), st.floats(0, 1))
    return [
        a_claim(text[start:end], len(text[:start].encode()), score=draw(scores))
        for start, end in spans
    ]


@given(st.data(), said_text, facts_of, limits_of)
def test_no_second_look_is_over_a_limit_whatever_the_server_calls_a_claim(
    data: st.DataObject, text: str, given_facts: list[Fact], limits: CheckLimits
) -> None:
    claims = data.draw(claims_of(text))
    calls = plan_calls(text, given_facts, limits)
    assert_within(limits, plan_rechecks(calls, claims, THRESHOLD, limits))


@given(any_text)
def test_a_claims_line_in_a_second_look_is_the_claim(text: str) -> None:
    claims = tuple(a_claim(part, score=0.1) for part in (text, "B", text))
    recheck = PlannedRecheck(claims=claims, facts=())
    assert recheck.answer.text.encode() == b"\n".join([text.encode(), b"B", text.encode()])


@pytest.mark.parametrize(("max_calls", "planned"), [(2, None), (3, 3), (4, 3)])
def test_more_calls_than_an_answer_may_have_are_not_planned(
    max_calls: int, planned: int | None
) -> None:
    limits = CheckLimits(max_facts=1)
    calls = plan_within("A.", facts("a", "b", "c"), limits, max_calls)
    assert (calls and len(calls)) == planned


def test_more_calls_than_the_lower_bound_are_not_planned_either() -> None:
    limits = CheckLimits(max_answer_tokens=6)
    text, given_facts = "Lamps glow red. Chairs stand still. Doors open wide.", facts("a")
    assert min_calls(text, given_facts, limits) == 2
    assert plan_within(text, given_facts, limits, max_calls=2) is None
    assert plan_within(text, given_facts, limits, max_calls=3)


def test_a_call_is_billed_by_the_characters_of_its_answer_and_its_facts() -> None:
    (call,) = plan_calls("Olé!", facts("é", "ab"), CheckLimits())
    assert billed_characters(call) == 4 + 1 + 2


@given(said_text, facts_of, limits_of)
def test_no_second_pass_is_longer_than_its_bound(
    answer: str, given_facts: list[Fact], limits: CheckLimits
) -> None:
    calls = plan_calls(answer, given_facts, limits)
    pieces = {call.answer.start: call.answer.text for call in calls}
    claims = [
        a_claim(sentence.text, start + sentence.start_byte, score=0.0)
        for start, piece in pieces.items()
        for sentence in split_sentences(piece)
    ]
    rechecks = plan_rechecks(calls, claims, THRESHOLD, limits)
    most = max_recheck_chars(calls, limits)
    assert len(rechecks) == len(most)
    assert all(
        billed_characters(recheck) <= bound for recheck, bound in zip(rechecks, most, strict=True)
    )


def test_one_group_of_facts_needs_no_second_pass() -> None:
    calls = plan_calls("A. B.", facts("a", "b"), CheckLimits())
    assert max_recheck_chars(calls, CheckLimits()) == ()
