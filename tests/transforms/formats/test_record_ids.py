"""The record ids of answers."""

import json
from typing import Any

import pytest

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.message import Message, ParseOptions
from groundwatch.transforms.formats.parser import parse_answers, record_id
from tests.support.answer_messages import ANSWER_NAME, chunk_reference, message_of, parse_answer
from tests.transforms.formats.field_maps.test_presets import ANSWER
from tests.transforms.formats.test_moved_fields import ROWS

GREETING = {"answerText": "Hello!"}
TIMED = GREETING | {"createTime": "2026-03-02T08:00:00Z"}
QUERY, FACT, TIME = "How long?", "Three days.", "2026-03-02T08:00:00Z"
SAYS = {"content": {"parts": [{"text": "In 3 days."}]}, "finishReason": "STOP"}
ENVELOPE = {"query": QUERY, "answer": "In 3 days.", "facts": [FACT], "time": TIME, "session": "s1"}
SEARCHED = [{"actions": [{"searchAction": {"query": QUERY}}]}]
RESOURCE = {"answerText": "In 3 days.", "references": [chunk_reference(FACT)], "completeTime": TIME}


IN_BODIES = (
    *("openai.chat_exchange", "openai.responses", "anthropic.exchange", "langsmith.run"),
    *("langfuse.trace", "dialogflow.detect_intent"),
)
"""Answers with an id that a server or an SDK has made."""

IN_CARRIERS = ("opentelemetry.gen_ai", "span", "OTLP traces", "request-response log")
"""Carriers with an id that a server or a tracer has made."""


def saying(name: str, said: str) -> Any:
    """An example with another answer, and the same id."""
    text = json.dumps(ROWS[name])
    changed = text.replace("Lamps glow in the dark.", said).replace(ANSWER, said)
    assert changed != text
    return json.loads(changed)


@pytest.mark.parametrize("name", IN_BODIES + IN_CARRIERS)
def test_an_id_that_may_repeat_identifies_together_with_the_content(name: str) -> None:
    one, other = saying(name, "In 3 days."), saying(name, "In 5 days.")
    assert id_of(message_of(one, place="a")) != id_of(message_of(other, place="b"))
    assert id_of(message_of(one, place="a")) == id_of(message_of(one, place="b"))


@pytest.mark.parametrize("name", IN_BODIES)
def test_an_id_that_may_repeat_is_the_same_in_a_log(name: str) -> None:
    entry = {"logName": "projects/p/logs/bot", "insertId": "e", "timestamp": TIME}
    one = ROWS[name]
    assert id_of(message_of(entry | {"jsonPayload": one})) == id_of(message_of(one))


def test_an_id_of_a_map_identifies_together_with_the_content() -> None:
    options = ParseOptions(
        own_map=(("id", "$.key"), ("answer", "$.said"), ("facts", "$.from"), ("time", "$.at"))
    )
    row = {"key": "chatcmpl-1", "said": "In 3 days.", "from": [FACT]}
    one, same = message_of(row, place="a"), message_of(row, place="b")
    other = message_of(row | {"said": "In 5 days."}, place="c")
    first, second, third = (
        answer.record_id
        for message in (one, same, other)
        for answer in parse_answers(message, options)
        if isinstance(answer, Answer)
    )
    assert first == second != third


def id_of(message: Message) -> str:
    return parse_answer(message).record_id


SAME = {
    "name": (
        message_of(GREETING | {"name": ANSWER_NAME}, place="a", id="1"),
        message_of({"answer": {"name": ANSWER_NAME}, "answerQueryToken": "t"}, place="b"),
    ),
    "token": (
        message_of({"answer": GREETING, "answerQueryToken": "t"}, place="a", id="1"),
        message_of({"answer": {}, "answer_query_token": "t"}, place="b", id="2"),
    ),
    "envelope's id": (
        message_of({"answer": "a", "id": "7"}, place="a", id="1"),
        message_of({"answer": "b", "id": "7"}, place="b"),
    ),
    "attribute": (
        message_of(GREETING, place="a", id="1"),
        message_of({"answerText": "Bye!"}, place="b", id="1"),
    ),
    "content": (
        message_of(TIMED, place="a"),
        message_of(
            b'{"create_time": "2026-03-02T09:00:00+01:00", "answer_text": "Hello!", "state": 0}',
            place="b",
            publish_time_us=5,
        ),
    ),
    "content with the attribute's time": (
        message_of(GREETING, place="a", event_time="2026-03-02T08:00:00Z"),
        message_of(GREETING, place="b", event_time="2026-03-02T08:00:00Z", region="eu"),
    ),
    "content in the envelope and as an answer": (
        message_of(ENVELOPE, place="a"),
        message_of({"query": QUERY, "answer": RESOURCE}, place="b", session="s1"),
    ),
    "content in a response and in a stream": (
        message_of({"query": QUERY, "answer": RESOURCE, "answerQueryToken": " "}, session="s1"),
        message_of([{"answer": RESOURCE | {"steps": SEARCHED}}], place="b", session="s1"),
    ),
    "content of a candidate and of an envelope": (
        message_of(
            {
                "request": {
                    "contents": [{"parts": [{"text": QUERY}]}],
                    "inlinePassages": {
                        "passages": [{"id": "p", "content": {"parts": [{"text": FACT}]}}]
                    },
                },
                "response": {"answer": SAYS | {"safetyRatings": [{"category": 7}]}},
            },
            event_time=TIME,
            session="s1",
            engine="other",
        ),
        message_of(ENVELOPE, place="b"),
    ),
    "content with details": (
        message_of(ENVELOPE, place="a"),
        message_of(
            ENVELOPE | {"facts": [{"text": FACT, "uri": "u", "title": "t"}], "engine": "shop"},
            place="b",
        ),
    ),
    "place": (message_of(GREETING, place="a"), message_of({"answerText": "Bye!"}, place="a")),
    "empty name": (message_of(GREETING | {"name": ""}, place="a"), message_of(GREETING, place="a")),
    "white space as a name": (
        message_of(GREETING | {"name": " \n"}, place="a", id="1"),
        message_of({"answerText": "Bye!"}, place="b", id="1"),
    ),
    "white space as a token": (
        message_of({"answer": GREETING, "answerQueryToken": " "}, place="a"),
        message_of({"answer": GREETING}, place="a"),
    ),
    "white space as an envelope's id": (
        message_of({"answer": "a", "id": "\t"}, place="a"),
        message_of({"answer": "a"}, place="a"),
    ),
    "white space as an attribute": (
        message_of(GREETING, place="a", id=" "),
        message_of(GREETING, place="a"),
    ),
    "failed states": (
        message_of({"name": ANSWER_NAME, "state": "FAILED"}, place="a"),
        message_of([{"answer": {"name": ANSWER_NAME, "state": 1}}, {"error": {"code": 3}}]),
    ),
    "unfinished states": (
        message_of({"name": ANSWER_NAME, "state": "IN_PROGRESS"}, place="a"),
        message_of({"name": ANSWER_NAME, "state": "STREAMING", "answerText": "H"}, place="b"),
    ),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_one_answer_has_one_id(one: Message, other: Message) -> None:
    assert id_of(one) == id_of(other)


DIFFERENT = {
    "two greetings": (message_of(GREETING, place="a"), message_of(GREETING, place="b")),
    "two blocked": (
        message_of({"answerSkippedReasons": [4]}, place="f#1"),
        message_of({"answerSkippedReasons": [4]}, place="f#2"),
    ),
    "publish times are not used": (
        message_of(GREETING, place="a", publish_time_us=5),
        message_of(GREETING, place="b", publish_time_us=5),
    ),
    "message ids that begin again": (
        message_of(GREETING, place="1", publish_time_us=5),
        message_of(GREETING, place="1", publish_time_us=6),
    ),
    "message ids that begin again at the same time": (
        message_of(GREETING, place="1", publish_time_us=5),
        message_of({"answerText": "Bye!"}, place="1", publish_time_us=5),
    ),
    "bad times are not used": (
        message_of(GREETING | {"createTime": "noon"}, place="a"),
        message_of(GREETING | {"createTime": "noon"}, place="b"),
    ),
    "same content at other times": (
        message_of(TIMED),
        message_of(GREETING | {"createTime": "2026-03-02T08:00:01Z"}),
    ),
    "other content at the same time": (
        message_of(TIMED),
        message_of(TIMED | {"answerText": "Bye!"}),
    ),
    "same content in other sessions": (
        message_of(TIMED, session="a"),
        message_of(TIMED, session="b"),
    ),
    "same content of another query": (
        message_of({"query": "a", "answer": TIMED}),
        message_of({"query": "b", "answer": TIMED}),
    ),
    "same content from other facts": (
        message_of(ENVELOPE),
        message_of(ENVELOPE | {"facts": [FACT, "And more."]}),
    ),
    "same facts in another order": (
        message_of(ENVELOPE | {"facts": ["And more.", FACT]}),
        message_of(ENVELOPE | {"facts": [FACT, "And more."]}),
    ),
    "white space as the name of two": (
        message_of(GREETING | {"name": " "}, place="a"),
        message_of(GREETING | {"name": " "}, place="b"),
    ),
    "kinds of identity": (
        message_of({"answer": "a", "id": "7"}, place="7"),
        message_of({"answer": "a"}, place="7"),
    ),
    "unfinished and finished": (
        message_of({"name": ANSWER_NAME, "state": "IN_PROGRESS"}),
        message_of({"name": ANSWER_NAME, "state": "SUCCEEDED"}),
    ),
    "failed and finished": (
        message_of({"name": ANSWER_NAME, "state": "FAILED"}),
        message_of({"name": ANSWER_NAME, "state": "SUCCEEDED"}),
    ),
    "failed and unfinished": (
        message_of({"name": ANSWER_NAME, "state": "FAILED"}),
        message_of({"name": ANSWER_NAME, "state": "IN_PROGRESS"}),
    ),
    "unfinished and finished candidate": (
        message_of({"content": {"parts": []}}, id="1"),
        message_of({"content": {"parts": [{"text": "Yes."}]}}, id="1"),
    ),
}


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT)
def test_two_answers_have_two_ids(one: Message, other: Message) -> None:
    assert id_of(one) != id_of(other)


def test_kinds_and_values_are_separated() -> None:
    identities = [
        record_id("id", "incomplete"),
        record_id("id", "", "incomplete"),
        record_id("id", "", "failed"),
        record_id("id", "\0incomplete"),
        record_id("id", ""),
        record_id("idi", "ncomplete"),
    ]
    assert len(set(identities)) == len(identities)


def test_a_path_that_is_not_unicode_can_name_an_answer() -> None:
    assert id_of(message_of(GREETING, place="caf\udce9.jsonl#1"))


STABLE = {
    "name": (
        message_of({"name": ANSWER_NAME}),
        "068a1af50f53715329facc006d8660c28046c9cde66fc250fdfa13eac1def791",
    ),
    "unfinished name": (
        message_of({"name": ANSWER_NAME, "state": 1}),
        "71bfba22bbd281f3c005be21bc69f8ed216a1dac5ab0925a49c3f4022a2d725d",
    ),
    "token": (
        message_of({"answer": GREETING, "answerQueryToken": "t"}),
        "7958cd0255d5031db25f856a926eb090231cef92537278050595318eeb004c6f",
    ),
    "envelope's id": (
        message_of({"answer": "a", "id": "7"}),
        "152e31ea1a284ddf6450225a5110815b0bbac56b320c1c2ade06ef2081744668",
    ),
    "attribute": (
        message_of(GREETING, id="1"),
        "90c36baec1b0d5004cfe25d877b76d4964e9b55f60801039a17047f3030b8671",
    ),
    "place": (
        message_of(GREETING, place="a.jsonl#1"),
        "e0da882d1feab8aa79668e62d267fa1caf2496ba8aea582dad80550e64193a53",
    ),
    "failed name": (
        message_of({"name": ANSWER_NAME, "state": "FAILED"}),
        "a60d1e7f56c2f34d27edddbec769183536a75e5c0b1f6820ba04e228e355b784",
    ),
    "content": (
        message_of(ENVELOPE),
        "173aa60500c62a0b0776a8929013fc3c746ca125547bfad169935efac1ef8399",
    ),
    "log entry": (
        message_of(
            {
                "logName": "projects/p/logs/bot",
                "insertId": "e1",
                "timestamp": "2026-03-02T08:00:00Z",
                "jsonPayload": {"answer": "a"},
            }
        ),
        "6f1ea31f19b8f4abb1c01cc663579702b98892a376498de0b83e650998f8483c",
    ),
    "response id of a span": (
        message_of(
            {
                "gen_ai.output.messages": [
                    {"role": "assistant", "parts": [{"type": "text", "content": "a"}]}
                ],
                "gen_ai.response.id": "r1",
            }
        ),
        "cf97a83bfe753993bc9294c3553dfa4a0e88135c1bc7db1bd1215c0a8cc4e0aa",
    ),
    "content with nothing": (
        message_of({"answerText": "", "createTime": TIME}),
        "25cb86a3cb4950e056b2241da8e2e3e35d59fb2388e3c4c74201aed09f5fad5e",
    ),
}


@pytest.mark.parametrize(("message", "expected"), STABLE.values(), ids=STABLE)
def test_record_ids_never_change(message: Message, expected: str) -> None:
    """Live traffic, backfills and replays of all releases must agree."""
    assert id_of(message) == expected
