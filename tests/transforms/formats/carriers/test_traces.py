"""The spans of a trace: one answer with the facts of its retrievers and tools."""

import json
from typing import Any

import pytest

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.verdict import Tag
from groundwatch.transforms.formats import answer_elements
from groundwatch.transforms.formats.parser import ParseFailure, parse_answers
from tests.support.answer_messages import message_of, parse_answer, parsed
from tests.transforms.formats.carriers.test_carriers import attributes_of

TEXT, OTHER, FACT, QUERY = "Lamps glow.", "Lamps blink.", "All lamps glow.", "Do lamps glow?"
TRACE = "5b8efff798038103d269b633813fc60c"
TOOL_PART = {"type": "tool_call_response", "response": FACT}


def span(
    number: int, attributes: dict[str, Any], *events: Any, parent: int | None = None, **fields: Any
) -> dict[str, Any]:
    """A span that ends in its own second."""
    return {
        "traceId": TRACE,
        "spanId": f"{number:016x}",
        "startTimeUnixNano": f"{1_772_438_400 + number}000000000",
        "endTimeUnixNano": f"{1_772_438_500 + number}000000000",
        "attributes": attributes_of(attributes),
        "events": [{"name": "e", "attributes": attributes_of(event)} for event in events],
        **({} if parent is None else {"parentSpanId": f"{parent:016x}"}),
    } | fields


def batch(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def of_kind(kind: str, **fields: Any) -> dict[str, Any]:
    """Attributes of OpenInference, with points for underscores between lower-case words."""
    return {"openinference.span.kind": kind} | {
        name.replace("__", "."): value for name, value in fields.items()
    }


def said(text: str = TEXT, *inputs: Any, query: str = QUERY) -> dict[str, Any]:
    asked = [*inputs, {"role": "user", "parts": [{"type": "text", "content": query}]}]
    output = {"role": "assistant", "parts": [{"type": "text", "content": text}]}
    return {"gen_ai.input.messages": asked, "gen_ai.output.messages": [output]}


def found(text: str = FACT) -> dict[str, Any]:
    return of_kind("RETRIEVER", retrieval__documents__0__document__content=text)


RETURNED = json.dumps({"documents": [{"page_content": FACT, "metadata": {"source": "a.md"}}]})
STATE = json.dumps({"input": QUERY, "answer": TEXT, "context": [{"page_content": FACT}]})
CHAIN = of_kind("CHAIN", input__value=QUERY, output__value=TEXT)
MODEL = of_kind(
    "LLM",
    input__value='{"messages": []}',
    output__value='{"choices": [{"message": {}}]}',
    llm__input_messages__0__message__role="user",
    llm__input_messages__0__message__content=QUERY,
    llm__output_messages__0__message__role="assistant",
    llm__output_messages__0__message__contents__0__message_content__text=TEXT,
)
TOLD = said(TEXT, {"role": "tool", "parts": [TOOL_PART]})
RETRIEVED = said() | {"gen_ai.retrieval.documents": [FACT]}
RECORD = {"timeUnixNano": "1772438500000000000", "body": {"stringValue": json.dumps(RETRIEVED)}}
ONE_ANSWER: dict[str, Any] = {
    "a chain with documents of its own": batch(span(0, CHAIN | found() | of_kind("CHAIN"))),
    "a retriever before a model": batch(span(0, found()), span(1, MODEL)),
    "a retriever beside a model": batch(
        span(0, {}), span(1, found(), parent=0), span(2, MODEL, parent=0)
    ),
    "a retriever below a chain": batch(
        span(2, MODEL, parent=0), span(1, found(), parent=0), span(0, CHAIN)
    ),
    "a retriever whose parent is elsewhere": batch(span(1, found(), parent=9), span(2, MODEL)),
    "a retriever's output": batch(
        span(0, CHAIN), span(1, of_kind("RETRIEVER", output__value=RETURNED), parent=0)
    ),
    "a reranker": batch(
        span(0, of_kind("RERANKER", reranker__output_documents__0__document__content=FACT)),
        span(1, MODEL),
    ),
    "a tool": batch(span(0, of_kind("TOOL", output__value=FACT), parent=1), span(1, CHAIN)),
    "a model's tool message": batch(
        span(
            0,
            MODEL
            | {
                "llm.input_messages.1.message.role": "tool",
                "llm.input_messages.1.message.content": FACT,
            },
        )
    ),
    "the state of a chain": batch(
        span(0, of_kind("CHAIN", input__value=QUERY, output__value=STATE))
    ),
    "a chain around a model's object": batch(
        span(0, of_kind("CHAIN", input__value=QUERY, output__value='{"lc": 1}')),
        span(1, MODEL, parent=0),
        span(2, found(), parent=0),
    ),
    "names in objects": batch(
        span(
            0,
            {
                "openinference": {"span": {"kind": "CHAIN"}},
                "input": {"value": QUERY},
                "output": {"value": TEXT},
                "retrieval": {"documents": [{"document": {"content": FACT}}]},
            },
        )
    ),
    "an agent around a model": batch(span(0, said()), span(1, TOLD, parent=0)),
    "the call of a tool": batch(
        span(0, {"gen_ai.tool.call.result": FACT}, parent=9), span(1, said(), parent=9)
    ),
    "a retrieval": batch(
        span(0, {"gen_ai.retrieval.documents": [{"content": FACT}]}, parent=1), span(1, said())
    ),
    "output on a span and facts in its event": batch(
        span(
            0,
            {"gen_ai.output.messages": said()["gen_ai.output.messages"]},
            {"gen_ai.input.messages": TOLD["gen_ai.input.messages"]},
        )
    ),
    "one output on a span and in its event": batch(span(0, RETRIEVED, RETRIEVED)),
    "a log record whose body is a text": {
        "resourceLogs": [{"scopeLogs": [{"logRecords": [RECORD]}]}]
    },
    "a span of Phoenix": {
        "span_kind": "CHAIN",
        "context": {"trace_id": f"0x{TRACE}", "span_id": "0x0000000000000001"},
        "start_time": "2026-03-02T08:00:00Z",
        "attributes": CHAIN | {"retrieval.documents": [{"document.content": FACT}]},
    },
    "a span of Phoenix with a reference": {
        "span_kind": "LLM",
        "context": {"trace_id": TRACE, "span_id": "1"},
        "start_time": "2026-03-02T08:00:00Z",
        "reference": FACT,
        "attributes": MODEL,
    },
}


@pytest.mark.parametrize("value", ONE_ANSWER.values(), ids=ONE_ANSWER)
def test_an_answer_has_the_facts_of_its_trace(value: Any) -> None:
    answer = parsed(value)
    assert (answer.answer_text, answer.query) == (TEXT, QUERY)
    assert [fact.text for fact in answer.facts] == [FACT]
    assert answer.trace_id in (TRACE, None)
    assert answer.event_time_us is not None
    assert parse_answer(answer.message).record_id == answer.record_id


def answers_of(value: object) -> list[Answer]:
    return [each for each in parse_answers(message_of(value)) if isinstance(each, Answer)]


def test_each_inference_event_of_a_span_is_an_answer() -> None:
    event = said(OTHER) | {"gen_ai.retrieval.documents": [FACT]}
    found_answers = answers_of(batch(span(0, {"gen_ai.conversation.id": "s"}, said(), event)))
    assert [each.answer_text for each in found_answers] == [TEXT, OTHER]
    assert {each.session for each in found_answers} == {"s"}
    assert len({each.record_id for each in found_answers}) == 2
    for answer in found_answers:
        again = parse_answer(answer.message)
        assert (again.record_id, again.facts) == (answer.record_id, answer.facts)


def test_separate_calls_of_a_trace_are_answers_with_what_was_found_before_they_ended() -> None:
    late = span(200, found("Later."))
    value = batch(span(0, found()), span(1, MODEL), late, span(300, said(OTHER)))
    first, second = answers_of(value)
    assert [fact.text for fact in first.facts] == [FACT]
    assert [fact.text for fact in second.facts] == [FACT, "Later."]
    for answer in (first, second):
        again = parse_answer(answer.message)
        assert (again.record_id, again.facts) == (answer.record_id, answer.facts)


def test_traces_share_no_facts() -> None:
    other = {"traceId": "00000000000000000000000000000001"}
    with_facts, without = answers_of(
        batch(span(0, found()), span(1, MODEL), span(2, MODEL, **other), span(3, {}, **other))
    )
    assert (len(with_facts.facts), len(without.facts)) == (1, 0)


def test_the_last_of_several_calls_below_a_chain_is_its_answer() -> None:
    chain = of_kind("CHAIN", input__value=QUERY, output__value='{"lc": 1, "answer": ""}')
    rewritten = MODEL | {
        "llm.output_messages.0.message.contents.0.message_content.text": "lamps glow?"
    }
    answer = parsed(batch(span(3, MODEL, parent=0), span(0, chain), span(1, rewritten, parent=0)))
    assert (answer.answer_text, Tag.MULTIPLE_CANDIDATES in answer.tags) == (TEXT, False)


@pytest.mark.parametrize("parents", [(1, 0), (0, 1), (1, 1)], ids=["in turn", "own", "a cycle"])
def test_spans_that_are_each_others_parents_are_read(parents: tuple[int, int]) -> None:
    spans = [span(number, MODEL, parent=parent) for number, parent in enumerate(parents)]
    assert {each.answer_text for each in answers_of(batch(*spans))} == {TEXT}


def test_a_batch_without_an_answer_says_what_to_send() -> None:
    with pytest.raises(UnreadableAnswer, match="the spans of a trace in one batch"):
        parsed(batch(span(0, found())))


@pytest.mark.parametrize("is_batch", [True, False])
def test_an_object_without_a_known_text_is_a_failure(*, is_batch: bool) -> None:
    chain = of_kind("CHAIN", input__value=QUERY, output__value='{"lc": 1, "answer": ""}')
    value = batch(span(0, chain)) if is_batch else {"name": "chain", "attributes": chain}
    with pytest.raises(UnreadableAnswer, match="no text of an answer is known"):
        parsed(value)


def test_facts_in_the_prompt_of_a_span_are_not_lost() -> None:
    system = {
        "llm.input_messages.1.message.role": "system",
        "llm.input_messages.1.message.content": f"Context:\n{FACT}",
    }
    with pytest.raises(UnreadableAnswer, match=r"facts=\$\.inputMessages\[1\]"):
        parsed(batch(span(0, MODEL | system)))


@pytest.mark.timeout(20)  # seconds
def test_a_long_chain_of_spans_takes_linear_time() -> None:
    depth = 10_000
    spans = [span(number, {}, parent=number + 1) for number in range(depth)]
    answer = parsed(batch(*spans, span(depth, MODEL | found() | of_kind("LLM"))))
    assert [fact.text for fact in answer.facts] == [FACT]


def test_copies_of_shared_spans_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_elements, "MAX_COPIED_BYTES", 1_000)
    value = batch(span(0, found()), *(span(number, MODEL) for number in range(1, 9)))
    [failure] = parse_answers(message_of(value))
    assert isinstance(failure, ParseFailure)
    assert "Send fewer answers" in str(failure.error)


@pytest.mark.parametrize("kind", ["arrayValue", "kvlistValue"])
@pytest.mark.parametrize("values", [5, {"a": 1}])
def test_values_that_are_no_list_are_none(kind: str, values: object) -> None:
    broken = {"key": "note", "value": {kind: {"values": values}}}
    good = span(1, said())
    assert parsed(batch(good | {"attributes": [*good["attributes"], broken]})).answer_text == TEXT
