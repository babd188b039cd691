"""Carriers of other systems: their bodies, errors and details, alone and in each other."""

import base64
import gzip
import json
from typing import Any

import pytest

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.message import Message, UnmappedFields, UnreadableAnswer
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.formats.answer_elements import MAX_CARRIERS
from groundwatch.transforms.formats.parser import ParseFailure, parse_answers
from groundwatch.transforms.rules.routing import route
from tests.support.answer_messages import message_of, parse_answer, parsed

TEXT, FACT, QUERY = "Lamps glow in the dark.", "Lamps glow.", "Do lamps glow?"
ENVELOPE = {"query": QUERY, "answer": TEXT, "facts": [FACT]}
ASKED = {"contents": [{"role": "user", "parts": [{"text": QUERY}]}]}
CHUNK = {"retrievedContext": {"text": FACT}}
RESPONSE = {
    "candidates": [
        {
            "content": {"parts": [{"text": TEXT}]},
            "finishReason": "STOP",
            "groundingMetadata": {"groundingChunks": [CHUNK]},
        }
    ]
}
ERROR = {"error": {"code": 429, "message": TEXT, "status": "RESOURCE_EXHAUSTED"}}
ROW = {"logging_time": "2026-03-02 08:00:00 UTC", "request_id": "7", "full_request": ASKED}
INPUT = [
    {"role": "user", "parts": [{"type": "text", "content": QUERY}]},
    {"role": "tool", "parts": [{"type": "tool_call_response", "response": FACT}]},
]
OUTPUT = [
    {
        "role": "assistant",
        "finish_reason": "stop",
        "parts": [{"type": "reasoning", "content": "Hm."}, {"type": "text", "content": TEXT}],
    }
]
SPAN = {"gen_ai.input.messages": INPUT, "gen_ai.output.messages": OUTPUT}
ENTRY = {"logName": "projects/p/logs/bot", "insertId": "e1", "timestamp": "2026-03-02T08:00:00Z"}


def pushed(value: object, **attributes: str) -> dict[str, Any]:
    data = base64.b64encode(json.dumps(value).encode()).decode()
    message = {"data": data, "messageId": "17", "attributes": attributes}
    return {"message": message | {"publishTime": "2026-03-02T08:00:00Z"}, "subscription": "s"}


def compressed(value: object) -> dict[str, Any]:
    data = base64.b64encode(gzip.compress(json.dumps(value).encode())).decode()
    return {"message": {"data": data, "messageId": "17"}, "subscription": "s"}


METADATA = {"subscription_name": "s", "message_id": "17", "publish_time": "2026-03-02 08:00:00 UTC"}
EVENT = {"specversion": "1.0", "id": "7", "source": "//bot", "type": "answered"}


def otlp(*spans: dict[str, Any]) -> dict[str, Any]:
    items = [
        {"traceId": "t", "spanId": str(number), "attributes": attributes_of(span)}
        for number, span in enumerate(spans)
    ]
    return {"resourceSpans": [{"scopeSpans": [{"spans": items}]}]}


def attributes_of(fields: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": name, "value": value_of(value)} for name, value in fields.items()]


def value_of(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return {"kvlistValue": {"values": attributes_of(value)}}
    if isinstance(value, list):
        return {"arrayValue": {"values": [value_of(each) for each in value]}}
    return {"stringValue": value}


READ = {
    "a push body around a log entry around a model's messages": pushed(
        ENTRY | {"jsonPayload": SPAN}
    ),
    "a log entry in a subscription row": {"data": json.dumps(ENTRY | {"jsonPayload": ENVELOPE})},
    "labels of a log entry": ENTRY
    | {"labels": {name: json.dumps(value) for name, value in SPAN.items()}, "textPayload": "done"},
    "labels and payload of a log entry": ENTRY
    | {
        "labels": {"gen_ai.output.messages": json.dumps(OUTPUT)},
        "jsonPayload": {"gen_ai.input.messages": INPUT},
    },
    "a text in a text of a log entry": ENTRY | {"textPayload": json.dumps(json.dumps(ENVELOPE))},
    "a text in a text of a row": {"data": json.dumps(json.dumps(ENVELOPE))},
    "a text in a text of a push body": pushed(json.dumps(ENVELOPE)),
    "one log entry in an array": [ENTRY | {"jsonPayload": ENVELOPE}],
    "a row without metadata": {"data": json.dumps(ENVELOPE)},
    "a row of bytes": {"data": base64.b64encode(json.dumps(ENVELOPE).encode()).decode()},
    "a logger's text": ENTRY | {"jsonPayload": {"message": json.dumps(ENVELOPE), "line": 7}},
    "compressed data of a push body": compressed(ENVELOPE),
    "a compressed message": gzip.compress(json.dumps(ENVELOPE).encode()),
    "a message that was encoded three times": json.dumps(json.dumps(ENVELOPE)),
    "a logger's text that was encoded twice": ENTRY
    | {"jsonPayload": {"message": json.dumps(json.dumps(ENVELOPE)), "line": 7}},
    "an event": EVENT | {"data": ENVELOPE},
    "an event with bytes": EVENT
    | {"data_base64": base64.b64encode(json.dumps(ENVELOPE).encode()).decode()},
    "an event around a push body": EVENT | {"data": pushed(ENVELOPE)},
    "a row of a topic with a schema": ENVELOPE | METADATA,
    "a row with JSON": {"data": ENVELOPE, "attributes": {"a": "b"}},
    "a row of the log with texts": ROW
    | {"full_request": json.dumps(ASKED), "full_response": json.dumps(RESPONSE)},
    "a row of the log with payloads": {
        "request_id": "7",
        "request_payload": [json.dumps(ASKED)],
        "response_payload": [json.dumps(RESPONSE)],
    }
    | {"full_request": ASKED},
    "a row of the log with payloads alone": {
        "request_id": "7",
        "request_payload": [json.dumps(ASKED)],
        "response_payload": [json.dumps(RESPONSE)],
    },
    "a row of the log with texts in texts": ROW
    | {"full_response": json.dumps(json.dumps(RESPONSE))},
    "a row of the log with chunks as a text": ROW | {"full_response": json.dumps([RESPONSE])},
    "a batch with an empty status": {"status": "", "request": ASKED, "response": RESPONSE},
    "a batch as texts": {
        "processed_time": "2026-03-02T08:00:00Z",
        "request": json.dumps(ASKED),
        "response": json.dumps(RESPONSE),
    },
    "values of OTLP": otlp(SPAN),
    "attributes as texts": otlp({name: json.dumps(value) for name, value in SPAN.items()}),
    "attributes of a span": {"name": "chat", "attributes": SPAN},
    "names without points": {"gen_ai_input_messages": INPUT, "gen_ai_output_messages": OUTPUT},
    "names in lower case": {"genaiinputmessages": INPUT, "genaioutputmessages": OUTPUT},
    "retrieved documents": {
        "gen_ai.input.messages": INPUT[:1],
        "gen_ai.output.messages": OUTPUT,
        "gen_ai.retrieval.documents": json.dumps([{"id": "1", "content": FACT}]),
    },
}


@pytest.mark.parametrize("value", READ.values(), ids=READ)
def test_the_body_is_read(value: object) -> None:
    answer = parsed(value)
    assert (answer.answer_text, [fact.text for fact in answer.facts]) == (TEXT, [FACT])
    assert answer.query in (QUERY, None)
    assert parse_answer(answer.message).record_id == answer.record_id


FAILED = {
    "a row with an error": (ROW | {"full_response": ERROR}, "RESOURCE_EXHAUSTED"),
    "a row with an error as text": (
        ROW | {"full_response": json.dumps(ERROR)},
        "RESOURCE_EXHAUSTED",
    ),
    "a batch with a status": (
        {"status": 'Bad Request: {"error": {"status": "INVALID_ARGUMENT"}}', "request": ASKED},
        "INVALID_ARGUMENT",
    ),
    "a batch with a plain status": (
        {"status": "Internal error: try again", "request": ASKED, "response": {}},
        "INTERNAL_ERROR",
    ),
    "a batch with a status without a name": (
        {"status": '{"error": {"code": 400}}', "request": ASKED},
        "ERROR",
    ),
    "a batch whose status is a list": ({"status": ["failed"], "request": ASKED}, "ERROR"),
    "a batch with an error": ({"key": "1", "request": ASKED, "error": {"code": 3}}, "3"),
    "a span with an error": (
        otlp({"gen_ai.output.messages": [], "error.type": "timeout"}),
        "timeout",
    ),
}


@pytest.mark.parametrize(("value", "status"), FAILED.values(), ids=FAILED)
def test_an_error_is_a_failed_answer_with_its_status(value: object, status: str) -> None:
    decision = route(parsed(value))
    assert decision is not None
    assert (decision.verdict, decision.reason) == (Verdict.GENERATION_FAILED, status)


REJECTED = {
    "facts in a prompt": (
        ROW
        | {
            "full_request": {"contents": [{"parts": [{"text": f"Context:\n{FACT}\n{QUERY}"}]}]},
            "full_response": {"candidates": [{"content": {"parts": [{"text": TEXT}]}}]},
        },
        "--map 'facts=",
    ),
    "facts in a prompt of a span": (
        {
            "gen_ai.input.messages": [
                {"role": "user", "parts": [{"type": "text", "content": f"{FACT}\n{QUERY}"}]}
            ],
            "gen_ai.output.messages": OUTPUT,
        },
        "--map 'facts=",
    ),
    "messages in an object": (otlp({"gen_ai.output.messages_ref": "gs://b/o"}), "messages_ref"),
    "input in an object": (
        {"gen_ai.output.messages": OUTPUT, "gen_ai.input.messages_ref": "gs://b/i"},
        "--map",
    ),
    "spans without messages": (otlp({"http.route": "/"}), "no span or log record"),
    "a part of an entry": (
        ENTRY | {"jsonPayload": ENVELOPE, "split": {"uid": "1", "totalSplits": 2}},
        "split",
    ),
    "data that is not base64": ({"message": {"data": "{}"}, "subscription": "s"}, "base64"),
    "damaged gzip": ({"data": base64.b64encode(b"\x1f\x8b\x08a").decode()}, "damaged gzip"),
    "a row without a response": (ROW | {"full_response": None, "response_payload": []}, "response"),
    "unknown fields of a carrier": (
        ENTRY | {"jsonPayload": {"answer": TEXT}, "evidence": [FACT], "labels": {"k": "v"}},
        r"these fields: LogEntry\.evidence\.",
    ),
    "unknown fields of two carriers": (
        {"subscription": "s", "extra": [FACT]}
        | {"message": pushed(ENTRY | {"jsonPayload": {"answer": TEXT}})["message"]},
        r"push_body.extra",
    ),
}


@pytest.mark.parametrize(("value", "said"), REJECTED.values(), ids=REJECTED)
def test_what_cannot_be_read_says_what_to_do(value: object, said: str) -> None:
    with pytest.raises(UnreadableAnswer, match=said) as raised:
        parsed(value)
    assert FACT not in str(raised.value)


def test_a_question_without_facts_is_not_rejected() -> None:
    said = {"candidates": [{"content": {"parts": [{"text": TEXT}]}, "finishReason": "STOP"}]}
    assert parsed({"request": ASKED, "response": said}).facts == ()
    long = {"contents": [{"parts": [{"text": "Why?\n" * 99}]}], "tools": [{"googleSearch": {}}]}
    assert parsed({"request": long, "response": said}).facts == ()
    with pytest.raises(UnmappedFields):
        parsed({"request": long | {"tools": []}, "response": said})


def answers_of(value: object, **attributes: str) -> list[Answer | ParseFailure]:
    return list(parse_answers(message_of(value, **attributes)))


def test_each_span_with_messages_is_an_answer_with_a_message_of_its_own() -> None:
    broken = SPAN | {"gen_ai.output.messages": "{"}
    found = answers_of(otlp(SPAN, {"http.route": "/"}, broken, SPAN), id="7")
    assert [type(each).__name__ for each in found] == ["Answer", "ParseFailure", "Answer"]
    answers = [each for each in found if isinstance(each, Answer)]
    assert [(each.trace_id, each.span_id) for each in answers] == [("t", "0"), ("t", "3")]
    assert len({each.record_id for each in answers}) == 2
    for answer in answers:
        assert parse_answer(answer.message).record_id == answer.record_id


def test_an_array_of_log_entries_is_several_answers() -> None:
    entries = [
        ENTRY | {"jsonPayload": ENVELOPE, "trace": "projects/p/traces/a"},
        ENTRY | {"textPayload": "done", "insertId": "e2"},
        ENTRY | {"jsonPayload": {"answers": [ENVELOPE, ENVELOPE]}, "insertId": "e3"},
    ]
    found = answers_of(entries)
    kinds = [type(each).__name__ for each in found]
    assert kinds == ["Answer", "ParseFailure", "Answer", "Answer"]
    answers = [each for each in found if isinstance(each, Answer)]
    assert [each.trace_id for each in answers] == ["a", None, None]
    assert [each.message.element for each in found] == [0, 1, 2, 3]
    alone = parsed(entries[0])
    assert alone.record_id == answers[0].record_id
    for answer in answers:
        assert parse_answer(answer.message).record_id == answer.record_id


def test_a_span_of_the_console_exporter_keeps_its_context() -> None:
    span = {
        "name": "chat",
        "context": {"trace_id": "0x5b8e", "span_id": "0xeee1", "trace_state": "[]"},
        "start_time": "2026-03-02T07:59:59Z",
        "end_time": "2026-03-02T08:00:00Z",
        "attributes": SPAN | {"gen_ai.conversation.id": "s1", "gen_ai.agent.name": "shop"},
        "resource": {"attributes": {"service.name": "bot"}},
    }
    answer = parsed(span)
    assert (answer.trace_id, answer.span_id) == ("5b8e", "eee1")
    assert (answer.session, answer.engine) == ("s1", "shop")
    assert answer.event_time_us == 1_772_438_400_000_000


@pytest.mark.parametrize(
    ("span", "attributes", "engine"),
    [
        ({}, {}, "bot"),
        ({"gen_ai.agent.name": "shop"}, {}, "shop"),
        ({}, {"engine": "desk"}, "desk"),
        ({"gen_ai.agent.name": "shop"}, {"engine": "desk"}, "shop"),
    ],
)
def test_the_service_is_the_engine_where_nothing_else_names_one(
    span: dict[str, Any], attributes: dict[str, str], engine: str
) -> None:
    batch = otlp(SPAN | span)
    [resource] = batch["resourceSpans"]
    resource["resource"] = {"attributes": attributes_of({"service.name": "bot"})}
    printed = {"attributes": SPAN | span, "resource": {"attributes": {"service.name": "bot"}}}
    for value in (batch, printed):
        answer = parsed(value, **attributes)
        assert answer.engine == engine
        assert parse_answer(answer.message).engine == engine


def test_a_message_in_an_event_of_a_span_is_read() -> None:
    batch = otlp({"http.route": "/"})
    [span] = batch["resourceSpans"][0]["scopeSpans"][0]["spans"]
    span["events"] = [{"name": "other"}, {"name": "details", "attributes": attributes_of(SPAN)}]
    assert parsed(batch).answer_text == TEXT


def test_the_depth_of_carriers_is_limited() -> None:
    value: dict[str, Any] = ENVELOPE
    for _ in range(MAX_CARRIERS):
        value = {"data": value}
    assert parsed(value).answer_text == TEXT
    with pytest.raises(UnreadableAnswer, match="deeper than 8"):
        parsed([{"data": value}])


def test_a_span_has_one_record_id_in_every_batch() -> None:
    first, _ = answers_of(otlp(SPAN, SPAN))
    assert first.record_id == parsed(otlp(SPAN)).record_id


def test_a_pushed_message_is_the_message_that_was_pulled() -> None:
    pulled = Message(
        payload=json.dumps(ENVELOPE).encode(),
        place="17",
        attributes={"engine": "e"},
        publish_time_us=1_772_438_400_000_000,
    )
    answer = parsed(pushed(ENVELOPE, engine="e"))
    assert answer.record_id == parse_answer(pulled).record_id
    assert answer.engine == "e"
    assert answer.event_time_us == answer.message.publish_time_us == 1_772_438_400_000_000


TIMES: dict[str, Any] = {
    "a row of a topic with a schema": METADATA | ENVELOPE,
    "its attributes": METADATA | ENVELOPE | {"attributes": json.dumps({"engine": "e"})},
    "an event": EVENT | {"time": "2026-03-02T08:00:00Z", "data": ENVELOPE},
    "an event around a push body": EVENT | {"data": pushed(ENVELOPE)},
}


@pytest.mark.parametrize("value", TIMES.values(), ids=TIMES)
def test_the_time_of_publication_is_kept(value: dict[str, Any]) -> None:
    answer = parsed(value)
    assert answer.event_time_us == 1_772_438_400_000_000
    assert answer.engine == ("e" if "engine" in str(value) else None)


def test_facts_in_an_attribute_of_a_schema_row_are_named() -> None:
    row = METADATA | {"answer": TEXT, "attributes": json.dumps({"context": FACT})}
    with pytest.raises(UnmappedFields, match=r"subscription_row\.attributes"):
        parsed(row)


def test_the_numbers_of_enums_are_those_of_vertex_ai() -> None:
    blocked = {"candidates": [{"finishReason": 7}]}
    assert parsed(ROW | {"full_response": blocked}).finish_reason == "PROHIBITED_CONTENT"


def test_another_model_in_the_log_is_read_in_its_own_format() -> None:
    assert parsed(ROW | {"full_response": ENVELOPE}).source_format == "groundwatch.envelope"


def test_a_bad_time_of_a_carrier_is_tagged() -> None:
    assert parsed(ENTRY | {"timestamp": "noon", "jsonPayload": ENVELOPE}).tags == ("BAD_TIMESTAMP",)


def test_a_time_of_a_carrier_without_an_offset_is_utc() -> None:
    row = ROW | {"logging_time": "2026-03-02 08:00:00.5", "full_response": RESPONSE}
    answer = parsed(row)
    assert (answer.event_time_us, answer.tags) == (1_772_438_400_500_000, ())


LOWER_CASE = {
    "logname": "projects/p/logs/a",
    "jsonpayload": {
        "logmetadata": {"methodname": "StreamAssist"},
        "request": {"query": {"text": QUERY}},
        "response": {
            "answer": {
                "state": "SUCCEEDED",
                "replies": [
                    {
                        "groundedcontent": {
                            "content": {"text": TEXT},
                            "textgroundingmetadata": {"references": [{"content": FACT}]},
                        }
                    }
                ],
            }
        },
    },
}


@pytest.mark.parametrize(
    "entry",
    [LOWER_CASE, ENTRY | {"jsonPayload": LOWER_CASE["jsonpayload"]}],
    ids=["all fields", "the payload"],
)
def test_the_lower_case_of_bigquery_is_read(entry: dict[str, Any]) -> None:
    answer = parsed(entry)
    assert (answer.answer_text, answer.query, len(answer.facts)) == (TEXT, QUERY, 1)
