"""The format of a message, detected or named."""

import pytest

from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.transforms.formats.format_table import FORMATS, format_names
from tests.support.answer_messages import ANSWER_NAME, parsed

CANDIDATE = {"content": {"parts": [{"text": "Yes."}]}}

DETECTED = {
    "answer by its text": ({"answerText": "Yes."}, "discoveryengine.answer"),
    "answer in snake_case": ({"answer_text": "Yes."}, "discoveryengine.answer"),
    "answer by its name": ({"name": ANSWER_NAME}, "discoveryengine.answer"),
    "answer by its state": ({"state": "FAILED"}, "discoveryengine.answer"),
    "answer by its state's number": ({"state": 3}, "discoveryengine.answer"),
    "answer by its reasons": ({"answerSkippedReasons": [1]}, "discoveryengine.answer"),
    "answer by its references": ({"references": []}, "discoveryengine.answer"),
    "wrapped answer": ({"query": "q", "answer": {"answerText": "a"}}, "discoveryengine.answer"),
    "response": (
        {"answer": {"answerText": "a"}, "answerQueryToken": "t"},
        "discoveryengine.answer_query",
    ),
    "response without token": ({"answer": {"answerText": "a"}}, "discoveryengine.answer_query"),
    "response by its token": (
        {"answer": {}, "answerQueryToken": "t"},
        "discoveryengine.answer_query",
    ),
    "response with a query beside it": (
        {"answer": {"answerText": "a"}, "answerQueryToken": "t", "query": "q"},
        "discoveryengine.answer_query",
    ),
    "candidate by its parts": (CANDIDATE, "gemini.candidate"),
    "candidate by its finish reason": ({"finishReason": "SAFETY"}, "gemini.candidate"),
    "blocked prompt": ({"promptFeedback": {"blockReason": 1}}, "gemini.generate_content"),
    "generateAnswer by its candidate": ({"answer": CANDIDATE}, "gemini.generate_answer"),
    "generateAnswer by its probability": (
        {"answer": {}, "answerableProbability": 0.1},
        "gemini.generate_answer",
    ),
    "generateAnswer by its feedback": (
        {"inputFeedback": {"blockReason": "SAFETY"}},
        "gemini.generate_answer",
    ),
    "generateAnswer with its request": (
        {"request": {"contents": []}, "response": {"answer": CANDIDATE}},
        "gemini.generate_answer",
    ),
    "generateAnswer by its request": (
        {"request": {"inlinePassages": {}}, "response": {}},
        "gemini.generate_answer",
    ),
    "generateAnswer's response alone": (
        {"response": {"answer": CANDIDATE}},
        "gemini.generate_answer",
    ),
    "envelope": ({"answer": "Yes."}, "groundwatch.envelope"),
    "empty envelope": ({"answer": ""}, "groundwatch.envelope"),
}


@pytest.mark.parametrize(("value", "source_format"), DETECTED.values(), ids=DETECTED)
def test_a_format_is_detected_by_its_field_names(value: object, source_format: str) -> None:
    assert parsed(value).source_format == source_format


NOT_DETECTED = {
    "empty object": {},
    "empty array": [],
    "string": "Yes.",
    "number": 3,
    "null": None,
    "array with a scalar": [{"answer": {"answerText": "a"}}, 1],
    "array of arrays": [[]],
    "array of other things": [{"colour": "red"}],
    "other object": {"colour": "red"},
    "other thing with a state": {"state": "CALIFORNIA", "name": "x"},
    "null fields alone": {"answerText": None},
    "inner object without known fields": {"answer": {}},
    "wrapper around something else": {"query": "q", "answer": {"colour": "red"}},
    "answer that is a number": {"answer": 5},
    "exchange without known fields": {"request": {"contents": []}, "response": {}},
    "content without parts": {"content": {}},
    "content that is a string": {"content": "Yes."},
}


@pytest.mark.parametrize("value", NOT_DETECTED.values(), ids=NOT_DETECTED)
def test_a_value_without_an_answer_is_rejected(value: object) -> None:
    with pytest.raises(UnreadableAnswer, match="not recognised"):
        parsed(value)


NAMED = {
    "answer with details only": ({"createTime": "2026-03-02T08:00:00Z"}, "discoveryengine.answer"),
    "candidate without content": ({"groundingAttributions": []}, "gemini.candidate"),
    "inner object without known fields": ({"answer": {}}, "discoveryengine.answer_query"),
    "candidate without known fields": ({"answer": {}}, "gemini.generate_answer"),
}


@pytest.mark.parametrize(("value", "name"), NAMED.values(), ids=NAMED)
def test_a_named_format_is_used_if_none_is_detected(value: object, name: str) -> None:
    assert parsed(value, format=name).source_format == name


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"answerText": "a"}, "gemini.candidate"),
        ({"answer": {"answerText": "a"}}, "groundwatch.envelope"),
        ([{"answerText": "a"}], "discoveryengine.answer"),
        ({"answerText": "a"}, "discoveryengine.stream_answer"),
        ({}, "discoveryengine.answer"),
        ([], "discoveryengine.stream_answer"),
        ({"answerText": "a"}, "gemini"),
        ({"answerText": "a"}, "protobuf"),
    ],
)
def test_a_message_that_does_not_fit_its_named_format_is_rejected(value: object, name: str) -> None:
    with pytest.raises(UnreadableAnswer):
        parsed(value, format=name)


def test_a_family_restricts_the_detection() -> None:
    assert parsed({"answerText": "a"}, format="discoveryengine").source_format == (
        "discoveryengine.answer"
    )


def test_the_name_that_a_format_had_earlier_still_selects_it() -> None:
    row = {
        "context.span_id": "eee19b7ec3c1b174",
        "attributes.openinference.span.kind": "CHAIN",
        "attributes.output.value": "a",
    }
    assert parsed(row, format="phoenix.row").source_format == "opentelemetry.gen_ai"


def test_format_names_are_the_formats_and_their_families() -> None:
    names = format_names()
    assert {"gemini", "gemini.candidate", "vertex", "vertex.generate_content"} <= {*names}
    assert len({known.name for known in FORMATS}) == len(FORMATS)
    now = {part for known in FORMATS for part in (known.name, known.family)}
    assert {*names} == now | {"phoenix.row"}
