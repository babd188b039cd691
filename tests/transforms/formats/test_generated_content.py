"""Requests, responses and streams of generateContent."""

from typing import Any

import pytest

from groundwatch.schemas.message import UnmappedFields, UnreadableAnswer
from groundwatch.schemas.verdict import Tag, Verdict
from groundwatch.transforms.rules.routing import route, routing_tags
from tests.support.answer_messages import message_of, parse_answer, parsed

FIRST, SECOND = "Grüße! ", "Lamps glow."
TEXT = FIRST + SECOND
START, END = len(FIRST.encode()), len(TEXT.encode())
SEGMENT = {"startIndex": START, "endIndex": END}
METADATA = {
    "groundingChunks": [{"retrievedContext": {"text": "Lamps glow."}}],
    "groundingSupports": [{"segment": SEGMENT, "groundingChunkIndices": [0]}],
}


def chunk(*parts: object, **fields: Any) -> dict[str, Any]:
    content = {"role": "model", "parts": [{"text": p} if isinstance(p, str) else p for p in parts]}
    return {"candidates": [{"content": content} | fields], "responseId": "r1"}


THOUGHT = {"text": "Hm.", "thought": True}
LAST = {"finishReason": "STOP", "groundingMetadata": METADATA}
STREAMS = {
    "text in two chunks": [chunk(FIRST), chunk(SECOND, **LAST)],
    "nothing in the last chunk": [chunk(FIRST), chunk(SECOND), chunk("", **LAST)],
    "no content in the last chunk": [chunk(TEXT), {"candidates": [LAST]}],
    "metadata before the end": [
        chunk(FIRST, groundingMetadata=METADATA),
        chunk(SECOND, groundingMetadata={"webSearchQueries": []}, finishReason="STOP"),
    ],
    "usage only": [chunk(TEXT, **LAST), {"candidates": [], "usageMetadata": {"a": 1}}],
    "one chunk": [chunk(TEXT, **LAST)],
}


@pytest.mark.parametrize("chunks", STREAMS.values(), ids=STREAMS)
@pytest.mark.parametrize("in_pair", [False, True], ids=["array", "pair"])
def test_chunks_are_joined(chunks: list[dict[str, Any]], *, in_pair: bool) -> None:
    asked = {"contents": [{"parts": [{"text": "q"}]}]}
    answer = parsed({"request": asked, "response": chunks} if in_pair else chunks)
    assert (answer.answer_text, answer.finish_reason) == (TEXT, "STOP")
    assert [(each.start, each.end, each.facts) for each in answer.supports] == [(START, END, (0,))]
    assert (answer.response_id, answer.query) == ("r1", "q" if in_pair else None)
    name = "gemini.generate_content" if in_pair else "gemini.stream_generate_content"
    assert (answer.source_format, answer.tags) == (name, ())


def test_new_fields_of_chunks_are_not_ignored() -> None:
    asked = {"contents": [{"parts": [{"text": "q"}]}]}
    plain = {"request": asked, "response": [chunk(FIRST), chunk(SECOND, finishReason="STOP")]}
    assert parsed(plain).facts == ()
    with pytest.raises(UnmappedFields, match=r"response\[\]\.candidates\[\]\.evidence"):
        parsed(plain | {"response": [chunk(FIRST), chunk(SECOND, evidence=["Lamps glow."])]})


def test_thoughts_stay_parts_of_their_own() -> None:
    segment = SEGMENT | {"partIndex": 1}
    metadata = METADATA | {"groundingSupports": [{"segment": segment}]}
    answer = parsed(
        [
            chunk(THOUGHT),
            chunk(THOUGHT, FIRST),
            chunk(SECOND, **LAST | {"groundingMetadata": metadata}),
        ]
    )
    assert answer.answer_text == TEXT
    assert [(each.start, each.end) for each in answer.supports] == [(START, END)]


ERROR = {"error": {"code": 503, "status": "UNAVAILABLE"}}


def test_an_error_after_the_end_is_a_tag_and_before_it_a_failure() -> None:
    assert Tag.STREAM_ERROR in parsed([chunk(TEXT, **LAST), ERROR]).tags
    decision = route(parsed([chunk(FIRST), ERROR]))
    assert decision is not None
    assert (decision.verdict, decision.reason) == (Verdict.GENERATION_FAILED, "UNAVAILABLE")


def test_only_the_first_of_several_candidates_is_joined() -> None:
    second = {"index": 1, "content": {"parts": [{"text": "No."}]}}
    chunks = [chunk(FIRST), chunk(SECOND, **LAST)]
    for each in chunks:
        each["candidates"].append(second)
    answer = parsed(chunks)
    assert (answer.answer_text, answer.tags) == (TEXT, (Tag.MULTIPLE_CANDIDATES,))


def test_a_blocked_prompt_has_its_reason_in_every_shape() -> None:
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}}
    for value in (blocked, [blocked], {"request": {"contents": []}, "response": blocked}):
        assert parsed(value).block_reason == "SAFETY"


def test_a_stream_without_an_end_is_unfinished() -> None:
    assert Tag.UNFINISHED in routing_tags(parsed([chunk(FIRST), chunk(SECOND)]))


@pytest.mark.parametrize("name", ["vertex.stream_generate_content", "vertex"])
def test_a_named_format_decides_the_numbers(name: str) -> None:
    message = message_of([chunk(TEXT), {"candidates": [{"finishReason": 8}]}])
    answer = parse_answer(message, input_format=name)
    assert (answer.finish_reason, answer.source_format) == (
        "SPII",
        "vertex.stream_generate_content",
    )


def test_a_chunk_that_is_no_object_is_rejected() -> None:
    with pytest.raises(UnreadableAnswer, match="chunk"):
        parse_answer(message_of([chunk(TEXT), 7]), input_format="gemini.stream_generate_content")
