"""What is true of an answer before any check, whatever decides its verdict."""

import pytest

from groundwatch.schemas.answer import SafetyRating
from groundwatch.schemas.checked_answer import Decision
from groundwatch.schemas.verdict import Tag, Verdict
from groundwatch.transforms.rules.routing import route, routing_tags
from tests.support.builders import an_answer

RATINGS = {
    "medium probability": (SafetyRating(probability="MEDIUM"), True),
    "high probability": (SafetyRating(probability="HIGH"), True),
    "medium severity": (SafetyRating(probability="LOW", severity="MEDIUM"), True),
    "low": (SafetyRating(probability="LOW", severity="LOW"), False),
    "nothing said": (SafetyRating(), False),
    "medium but blocked": (SafetyRating(probability="MEDIUM", blocked=True), False),
}


@pytest.mark.parametrize(("rating", "is_rated"), RATINGS.values(), ids=RATINGS)
def test_a_rating_of_medium_or_more_that_did_not_block_is_tagged(
    rating: SafetyRating, is_rated: bool
) -> None:
    tags = routing_tags(an_answer(safety_ratings=(rating,)))
    assert (Tag.SAFETY_RATED in tags) is is_rated


@pytest.mark.parametrize(
    ("probability", "is_low"), [(0.0, True), (0.499, True), (0.5, False), (None, False)]
)
def test_an_answerable_probability_below_a_half_is_tagged(
    probability: float | None, is_low: bool
) -> None:
    tags = list(routing_tags(an_answer(answerable_probability=probability)))
    assert tags == [Tag.LOW_ANSWERABLE_PROBABILITY] * is_low


@pytest.mark.parametrize(
    ("text", "has_reasoning"),
    [
        ("<think>9 days?</think>Lamps glow.", True),
        ("9 days?</think>Lamps glow.", True),
        ("Lamps glow.", False),
        ("Use `<think>`.", False),
    ],
)
def test_reasoning_that_is_not_checked_is_tagged(text: str, has_reasoning: bool) -> None:
    assert (Tag.REASONING_REMOVED in routing_tags(an_answer(text))) is has_reasoning


def test_tags_are_given_whatever_decided_the_verdict() -> None:
    answer = an_answer(
        source_format="gemini.candidate",
        state="STREAMING",
        finish_reason="MAX_TOKENS",
        skip_reasons=("TOMORROW",),
        safety_ratings=(SafetyRating(severity="HIGH"),),
        answerable_probability=0.1,
    )
    assert route(answer) == Decision(verdict=Verdict.INCOMPLETE, reason="STREAMING")
    assert set(routing_tags(answer)) == {
        Tag.TRUNCATED,
        Tag.UNKNOWN_SKIP_REASON,
        Tag.SAFETY_RATED,
        Tag.LOW_ANSWERABLE_PROBABILITY,
    }
