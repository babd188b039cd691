"""Any input is read as an answer or raises UnreadableAnswer."""

import json
import re

from hypothesis import example, given
from hypothesis import strategies as st

from groundwatch.transforms.formats.format_table import format_names
from groundwatch.transforms.formats.parser import ParseFailure, parse_answers
from tests.support.answer_messages import ANSWER_NAME, chunk_reference, message_of
from tests.transforms.formats.test_same_message import READ

CITED = {"startIndex": "0", "endIndex": "3", "sources": [{"referenceId": "0"}]}
VALID = [
    {
        "name": ANSWER_NAME,
        "state": "SUCCEEDED",
        "answerText": "Grüße 😀",
        "references": [
            chunk_reference("One.", title="t", pageIdentifier="4"),
            {"unstructuredDocumentInfo": {"chunkContents": [{"content": "Two."}]}},
            {"structuredDocumentInfo": {"structData": {"a": {"b": [1, 2.5, True]}}}},
        ],
        "citations": [CITED],
        "groundingSupports": [CITED | {"groundingScore": 0.5}],
        "groundingScore": 0.5,
        "answerSkippedReasons": ["LOW_GROUNDED_ANSWER"],
        "safetyRatings": [{"category": 1, "probability": "LOW", "blocked": False}],
        "createTime": "2026-03-02T08:00:00Z",
    },
    {"candidates": [{"finishReason": "STOP"}], "promptFeedback": {"blockReason": 1}},
    {"query": "q", "answer": "a", "facts": ["f", {"text": "g", "attributes": {"p": 1}}], "id": "1"},
    {"answers": [{"answer": "a", "id": 1, "time": 1772438400}, {"answerText": "b", "name": "c"}]},
]
VALID += READ.values()
CITING = {
    "groundingChunks": [{"web": {"uri": "a"}}],
    "groundingSupports": [{"groundingChunkIndices": ["9" * 5_000]}],
}
CHUNK_OF_STREAM = {
    "candidates": [{"content": {"parts": [{"text": "a"}]}, "groundingMetadata": CITING}]
}
FIELD_NAMES = sorted(set(json.dumps(VALID).replace("{", '"').split('"')[1::2]))

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(FIELD_NAMES) | st.text(max_size=5), inner, max_size=5)
    ),
    max_leaves=20,
)


def assert_answer_or_unreadable(payload: bytes, **attributes: str) -> None:
    """Assert also the invariants of an answer that later steps rely on."""
    message = message_of(payload, **attributes)
    for answer in parse_answers(message):
        if isinstance(answer, ParseFailure):
            continue
        text = answer.answer_text.encode()
        assert re.fullmatch(r"[0-9a-f]{64}", answer.record_id)
        assert all(fact.text.strip() for fact in answer.facts)
        for span in (*answer.citations, *answer.supports):
            text[span.start : span.end].decode()
            assert all(0 <= fact < len(answer.facts) for fact in span.facts)


@given(st.binary())
@example(b"\xef\xbb\xbf")
@example(b'{"answer": "a", "facts": [{"attributes": {"a": {"b": 1, "b": 2}}}]}')
@example(
    json.dumps([CHUNK_OF_STREAM, CHUNK_OF_STREAM]).replace('"uri": "a"', '"uri": "b"', 1).encode()
)
def test_any_bytes_are_an_answer_or_unreadable(payload: bytes) -> None:
    assert_answer_or_unreadable(payload)


@given(values, st.sampled_from(["", *format_names()]))
def test_any_json_is_an_answer_or_unreadable_under_any_named_format(
    value: object, named: str
) -> None:
    assert_answer_or_unreadable(json.dumps(value).encode(), format=named)


@given(st.sampled_from(VALID), st.data())
def test_a_valid_message_with_one_value_replaced_is_an_answer_or_unreadable(
    value: object, data: st.DataObject
) -> None:
    assert_answer_or_unreadable(json.dumps(mutated(value, data)).encode())


@given(st.sampled_from(VALID), st.data())
def test_a_valid_message_with_one_byte_replaced_is_an_answer_or_unreadable(
    value: object, data: st.DataObject
) -> None:
    payload = bytearray(json.dumps(value, ensure_ascii=False).encode())
    payload[data.draw(st.integers(0, len(payload) - 1))] = data.draw(st.integers(0, 255))
    assert_answer_or_unreadable(bytes(payload))


def mutated(value: object, data: st.DataObject) -> object:
    """The value with a part of it, at any depth, replaced."""
    keys = [*value] if isinstance(value, dict) else []
    if isinstance(value, list):
        keys = [*range(len(value))]
    if not keys or data.draw(st.integers(0, 3)) == 0:
        return data.draw(values)
    key = data.draw(st.sampled_from(keys))
    changed = {key: mutated(value[key], data)}
    if isinstance(value, dict):
        return value | changed
    return [changed.get(index, item) for index, item in enumerate(value)]
