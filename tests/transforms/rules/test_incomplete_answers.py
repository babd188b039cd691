"""Which answers are still being made."""

import pytest

from groundwatch.schemas.answer import Answer, SafetyRating
from groundwatch.schemas.message import Message
from groundwatch.transforms.rules.routing import is_incomplete

MESSAGE = Message(payload=b"{}", place="p")
BLOCKED = (SafetyRating(blocked=True),)


@pytest.mark.parametrize("state", ["IN_PROGRESS", "STREAMING"])
def test_an_answer_in_the_making_is_incomplete_whatever_else_it_says(state: str) -> None:
    answer = Answer(
        message=MESSAGE,
        record_id="",
        source_format="discoveryengine.answer",
        state=state,
        answer_text="In",
        skip_reasons=("LOW_GROUNDED_ANSWER",),
        safety_ratings=BLOCKED,
    )
    assert is_incomplete(answer)


@pytest.mark.parametrize("state", [None, "SUCCEEDED", "FAILED", "PAUSED"])
def test_an_answer_in_any_other_state_is_complete(state: str | None) -> None:
    answer = Answer(
        message=MESSAGE, record_id="", source_format="discoveryengine.answer", state=state
    )
    assert not is_incomplete(answer)


CANDIDATES = {
    "nothing": ({}, True),
    "white space": ({"answer_text": " \n"}, True),
    "text": ({"answer_text": "Yes."}, False),
    "finished": ({"finish_reason": "STOP"}, False),
    "blocked prompt": ({"block_reason": "SAFETY"}, False),
    "blocked rating": ({"safety_ratings": BLOCKED}, False),
    "harmless rating": ({"safety_ratings": (SafetyRating(probability="LOW"),)}, True),
}


@pytest.mark.parametrize(("fields", "incomplete"), CANDIDATES.values(), ids=CANDIDATES)
def test_a_candidate_without_end_and_text_is_incomplete_unless_blocked(
    fields: dict[str, object], incomplete: bool
) -> None:
    answer = Answer(message=MESSAGE, record_id="", source_format="gemini.candidate", **fields)
    assert is_incomplete(answer) is incomplete
