"""Streamed answers: complete, in deltas, interrupted."""

import pytest

from tests.support.answer_messages import ANSWER_NAME, chunk_reference, parsed

DELTA = {"answer": {"state": "STREAMING", "answerText": "In "}}
NEXT_DELTA = {"answer": {"state": 4, "answerText": "3 days."}}
FULL = {"answer": {"name": ANSWER_NAME, "state": "SUCCEEDED", "answerText": "In 3 days."}}
STATELESS = {"answer": {"answerText": "Without a state."}}
FAILED = {"answer": {"state": "FAILED", "answerText": "Sorry."}}
ERROR = {"error": {"code": 503, "status": "UNAVAILABLE", "message": "the customer's words"}}

STREAMS = {
    "the full answer": ([DELTA, NEXT_DELTA, FULL], "In 3 days.", "SUCCEEDED"),
    "a full answer before deltas": ([FULL, DELTA], "In 3 days.", "SUCCEEDED"),
    "the last full answer": ([STATELESS, FULL], "In 3 days.", "SUCCEEDED"),
    "an answer without a state": ([FULL, STATELESS], "Without a state.", None),
    "a good one rather than a failed one": ([FULL, FAILED], "In 3 days.", "SUCCEEDED"),
    "a failed one rather than deltas": ([DELTA, FAILED], "Sorry.", "FAILED"),
    "bare answers": ([DELTA["answer"], FULL["answer"]], "In 3 days.", "SUCCEEDED"),
    "a state beside the answer": ([FULL | {"state": "SUCCEEDED"}], "In 3 days.", "SUCCEEDED"),
    "an empty answer is none": ([FULL, {"answer": {}}], "In 3 days.", "SUCCEEDED"),
    "deltas alone": ([DELTA, NEXT_DELTA], "In 3 days.", "STREAMING"),
    "in progress alone": ([{"answer": {"state": 1}}], "", "IN_PROGRESS"),
    "error after the answer": ([FULL, ERROR], "In 3 days.", "SUCCEEDED"),
    "error before the answer": ([ERROR, FULL], "In 3 days.", "SUCCEEDED"),
    "error last": ([DELTA, ERROR], "In ", "FAILED"),
    "error alone": ([ERROR], "", "FAILED"),
    "error before the token": ([DELTA, ERROR, {"answerQueryToken": "t"}], "In ", "FAILED"),
    "error before deltas": ([ERROR, DELTA], "In ", "STREAMING"),
}


@pytest.mark.parametrize(("stream", "text", "state"), STREAMS.values(), ids=STREAMS)
def test_a_stream_is_read_as_its_last_full_answer(
    stream: list[object], text: str, state: str | None
) -> None:
    answer = parsed(stream)
    assert (answer.answer_text, answer.state) == (text, state)
    assert answer.source_format == "discoveryengine.stream_answer"


@pytest.mark.parametrize(
    ("stream", "status", "tags"),
    [
        ([FULL], None, ()),
        ([ERROR, FULL], None, ()),
        ([FULL, ERROR], None, ("STREAM_ERROR",)),
        ([DELTA, ERROR], "UNAVAILABLE", ("STREAM_ERROR",)),
        ([DELTA, {"error": {"code": 14}}], "14", ("STREAM_ERROR",)),
        ([DELTA, {"error": {}}], "UNKNOWN", ("STREAM_ERROR",)),
    ],
    ids=["none", "before", "after", "instead", "code only", "nothing said"],
)
def test_an_error_decides_without_a_full_answer(
    stream: list[object], status: str | None, tags: tuple[str, ...]
) -> None:
    answer = parsed(stream)
    assert (answer.error_status, answer.tags) == (status, tags)


def test_session_and_token_come_from_any_element() -> None:
    session = {"session": {"name": "projects/1/engines/shop/sessions/s9"}}
    first = parsed([session | DELTA, {"answerQueryToken": "t"}, STATELESS])
    again = parsed([STATELESS, {"answerQueryToken": "t"}])
    assert (first.session, first.engine) == ("s9", "shop")
    assert first.record_id == again.record_id


def test_joined_deltas_keep_their_references_and_their_name() -> None:
    with_fact = {"answer": {**DELTA["answer"], "references": [chunk_reference("3 days.")]}}
    named = {"answer": {**NEXT_DELTA["answer"], "name": ANSWER_NAME}}
    answer = parsed([named, with_fact])
    assert answer.answer_name == ANSWER_NAME
    assert [fact.text for fact in answer.facts] == ["3 days."]


def test_the_finished_answer_has_another_record_id_than_its_deltas() -> None:
    delta = {"answer": {**DELTA["answer"], "name": ANSWER_NAME}}
    assert parsed([delta]).record_id == parsed([delta, delta]).record_id
    assert parsed([delta]).record_id != parsed([delta, FULL]).record_id
