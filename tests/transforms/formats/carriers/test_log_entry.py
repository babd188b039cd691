"""Answers in Cloud Logging's entries."""

import json

import pytest

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.transforms.formats.parser import parse_answers
from tests.support.answer_messages import message_of, parse_answer, parsed

ENTRY = {
    "logName": "projects/p/logs/bot",
    "insertId": "e1",
    "timestamp": "2026-03-02T08:00:00.5Z",
    "trace": "projects/p/traces/5b8e",
    "spanId": "eee1",
}
ENVELOPE = {"query": "q", "answer": "Lamps glow.", "facts": ["Lamps glow."]}


@pytest.mark.parametrize(
    "payload",
    [
        {"jsonPayload": ENVELOPE},
        {"textPayload": json.dumps(ENVELOPE)},
        {"protoPayload": ENVELOPE},
        {"json_payload": ENVELOPE, "resource": {"labels": {"a": "b"}}},
    ],
    ids=lambda payload: next(iter(payload)),
)
def test_the_payload_is_read_with_the_time_and_ids_of_the_entry(payload: dict[str, object]) -> None:
    answer = parsed(ENTRY | payload)
    assert (answer.query, answer.answer_text, len(answer.facts)) == ("q", "Lamps glow.", 1)
    assert (answer.event_time_us, answer.trace_id, answer.span_id) == (
        1_772_438_400_500_000,
        "5b8e",
        "eee1",
    )


def test_several_answers_of_an_entry_have_ids_and_times_of_their_own() -> None:
    message = message_of(ENTRY | {"jsonPayload": {"answers": [ENVELOPE, ENVELOPE]}}, id="7")
    answers = [answer for answer in parse_answers(message) if isinstance(answer, Answer)]
    assert len({answer.record_id for answer in answers}) == 2
    assert {answer.trace_id for answer in answers} == {"5b8e"}
    replayed = [parse_answer(answer.message).record_id for answer in answers]
    assert replayed == [answer.record_id for answer in answers]


@pytest.mark.parametrize("payload", [{}, {"textPayload": "Lamp 7 replaced."}], ids=["none", "text"])
def test_an_entry_without_json_is_a_failure_that_says_so(payload: dict[str, object]) -> None:
    with pytest.raises(UnreadableAnswer, match=r"[Pp]ayload"):
        parsed(ENTRY | payload)
