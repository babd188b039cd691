"""The calls for an answer, each within the limits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.schemas.answer import Fact
from groundwatch.transforms.rules.limits import CheckLimits
from groundwatch.transforms.rules.planning import (
    AnswerPiece,
    FactPiece,
    PlannedCall,
    min_calls,
    plan_calls,
    plan_within,
)
from groundwatch.transforms.rules.text_splitting import count_tokens
from tests.support.builders import a_fact
from tests.support.texts import said_text

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


@pytest.mark.parametrize(
    ("answer", "parts"),
    [
        ("<think>Olé?</think>\nOne.", [("\nOne.", 20)]),
        ("<think>a</think>Olé. <think>b</think>\nTwo.", [("Olé. ", 16), ("\nTwo.", 38)]),
        ("word " * 5000 + "</think>One.", [("One.", 25_008)]),
        ("<think>all", []),
    ],
)
def test_reasoning_is_not_sent(answer: str, parts: list[tuple[str, int]]) -> None:
    planned = plan_calls(answer, facts("a"), CheckLimits())
    assert [(call.answer.text, call.answer.start) for call in planned] == parts
    assert min_calls(answer, facts("a"), CheckLimits()) == len(parts)


def test_a_part_of_white_space_alone_is_not_sent() -> None:
    limits = CheckLimits(max_fact_chars=4)
    (call,) = plan_calls("A.", facts("One.     Two."), limits)
    assert [(piece.text, piece.start) for piece in call.facts] == [("One.", 0), ("Two.", 9)]


@given(said_text, facts_of, limits_of)
def test_no_call_is_over_a_limit_and_the_fewest_are_no_more_than_those_planned(
    text: str, given_facts: list[Fact], limits: CheckLimits
) -> None:
    planned = plan_calls(text, given_facts, limits)
    assert 0 < min_calls(text, given_facts, limits) <= len(planned)
    for call in planned:
        assert 0 < count_tokens(call.answer.text) <= limits.max_answer_tokens
        assert 0 < len(call.facts) <= limits.max_facts
        assert all(0 < len(piece.text) <= limits.max_fact_chars for piece in call.facts)


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
