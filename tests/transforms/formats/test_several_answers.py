"""Messages that hold several answers."""

import json
import time
import tracemalloc
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.failure import failure_to_json, message_of_failure
from groundwatch.transforms.formats.answer_elements import MAX_ANSWERS, MAX_COPIED_BYTES
from groundwatch.transforms.formats.parser import ParseFailure, parse_answers
from groundwatch.transforms.runtime.failures import failed_now
from tests.support.answer_messages import ANSWER_NAME, chunk_reference, message_of, parse_answer


def parsed_all(value: object, **attributes: str) -> list[Answer | ParseFailure]:
    return list(parse_answers(message_of(value, place="a.jsonl#4", **attributes)))


def named(number: int, **fields: Any) -> dict[str, Any]:
    return (
        {"name": f"{ANSWER_NAME}{number}", "state": "SUCCEEDED"}
        | {"answerText": f"In {number} days."}
        | fields
    )


def envelope(number: int, **fields: Any) -> dict[str, Any]:
    return {"answer": f"In {number} days.", "facts": ["One."]} | fields


CANDIDATE = {"content": {"parts": [{"text": "In 7 days."}]}}
ENDED = {"candidates": [CANDIDATE | {"finishReason": "STOP"}]}
SEVERAL = {
    "named answers": [named(1), named(2), named(3)],
    "responses": [{"answer": named(1)}, {"answer": named(2)}, {"answer": named(3)}],
    "responses with tokens": [
        {"answer": {"answerText": f"In {number} days."}, "answerQueryToken": f"t{number}"}
        for number in (1, 2, 3)
    ],
    "responses of the assistant": [
        {"answer": {"state": "SUCCEEDED", "replies": []}, "assistToken": each} for each in "abc"
    ],
    "envelopes with ids": [envelope(number, id=str(number)) for number in (1, 2, 3)],
    "envelopes without ids": [envelope(number) for number in (1, 2, 3)],
    "exchanges": [
        {"request": {"inlinePassages": {}}, "response": {"answer": CANDIDATE}} for _ in range(3)
    ],
    "finished answers without names": [named(number, name="") for number in (1, 2, 3)],
    "finished answers of the assistant": [
        {"state": 3, "replies": [{"groundedContent": {"text": f"In {number} days."}}]}
        for number in (1, 2, 3)
    ],
    "streams": [[{"answer": named(number)}] for number in (1, 2, 3)],
    "formats": [named(1), envelope(2), {"response": {"answer": CANDIDATE}}],
    "blocked responses of generateAnswer": [
        {"answer": {}, "answerableProbability": number / 10} for number in (1, 2, 3)
    ],
    "exchanges of generateContent": [{"request": {"contents": []}, "response": ENDED}] * 3,
    "responses of generateContent": [ENDED, ENDED, ENDED],
    "responses of generateContent with ids": [
        {"candidates": [CANDIDATE], "responseId": each} for each in "abc"
    ],
    "events of a printed span": {
        "attributes": {"gen_ai.operation.name": "chat"},
        "events": [
            {"attributes": {"gen_ai.output.messages": [{"role": "assistant", "content": text}]}}
            for text in ("In 1 day.", "In 2 days.", "In 3 days.")
        ],
    },
    "a wrapper of attributes": {
        "answers": [{"gen_ai.output.messages": [{"role": "assistant", "content": "In 7 days."}]}]
        * 3
    },
    "a wrapper": {"answers": [named(1), named(2), named(3)]},
    "a wrapper of nameless answers": {
        "answers": [{"answerText": f"In {number} days."} for number in (1, 2, 3)],
        "count": 3,
    },
    "a wrapper of candidates": {"answers": [CANDIDATE, CANDIDATE, CANDIDATE]},
}


@pytest.mark.parametrize("value", SEVERAL.values(), ids=SEVERAL)
def test_each_element_is_an_answer(value: object) -> None:
    answers = parsed_all(value)
    assert len(answers) == 3
    assert all(isinstance(answer, Answer) for answer in answers)
    assert len({answer.record_id for answer in answers}) == 3
    places = [answer.message.answer_place for answer in answers]
    assert places == ["a.jsonl#4#0", "a.jsonl#4#1", "a.jsonl#4#2"]
    assert {answer.message.place for answer in answers} == {"a.jsonl#4"}


ONE = {
    "chunks of generateContent": [{"candidates": [CANDIDATE]}, ENDED],
    "chunks of generateContent with one id": [ENDED | {"responseId": "a"}] * 2,
    "one name": [named(1, state="STREAMING"), named(1), named(1)],
    "one name and none": [{"answerText": "In"}, named(1)],
    "no name": [{"answer": {"answerText": "In 1"}}, {"answer": {"answerText": "In 2 days."}}],
    "another name that is not finished": [
        {"answer": named(1, state="IN_PROGRESS")},
        {"answer": named(2)},
    ],
    "white space as a second name": [named(1, name=" "), named(1)],
    "a finished answer that grows": [named(1, name="", answerText="In 1"), named(1, name="")],
    "one token": [
        {"answer": {"answerText": "In"}, "answerQueryToken": "t"},
        {"answer": {"answerText": "In 2 days."}, "answerQueryToken": "t"},
    ],
    "one envelope in an array": [envelope(1)],
    "one answer in a wrapper": {"answers": [named(1)]},
}


@pytest.mark.parametrize("value", ONE.values(), ids=ONE)
def test_one_answer_keeps_the_place_of_its_message(value: object) -> None:
    [answer] = parsed_all(value)
    assert isinstance(answer, Answer)
    assert answer.message.answer_place == "a.jsonl#4"


BROKEN = [envelope(1), {"answer": "a", "query": 5}, envelope(2), "text", None, {"a": 1}, [[]]]


@pytest.mark.parametrize("value", [BROKEN, {"answers": BROKEN}], ids=["array", "wrapper"])
def test_an_unreadable_element_does_not_affect_the_others(value: object) -> None:
    kinds = [type(found).__name__ for found in parsed_all(value)]
    assert kinds == ["Answer", "ParseFailure", "Answer", *["ParseFailure"] * 4]


def test_a_message_contains_only_the_bytes_of_its_answer() -> None:
    payload = (
        b'\xef\xbb\xbf [ {"answer" : "a", "facts": []},\n {"answer":"\\u00e9", "n": 1e999}, 7 ] '
    )
    found = list(parse_answers(message_of(payload)))
    assert [one.message.payload for one in found] == [
        b'{"answer" : "a", "facts": []}',
        b'{"answer":"\\u00e9", "n": 1e999}',
        b"7",
    ]


REPLAYED = SEVERAL | {
    "snake_case": [{"answer": "a", "retrieved_contexts": []}, envelope(2)],
    "elements that fail": BROKEN,
    "timed": [envelope(1, time="2026-03-02T08:00:00Z"), envelope(2)],
}


@pytest.mark.parametrize("attributes", [{}, {"id": "7", "engine": "shop"}], ids=["none", "id"])
@pytest.mark.parametrize("value", REPLAYED.values(), ids=REPLAYED)
def test_a_replay_of_one_element_gives_the_same_record_id(
    value: object, attributes: dict[str, str]
) -> None:
    for found in parsed_all(value, **attributes):
        failure = failed_now(found.message, "ParseAnswers", OSError("x"), retryable=False)
        replayed = message_of_failure(failure_to_json(failure))
        assert replayed.place == found.message.answer_place
        [again] = parse_answers(replayed)
        if isinstance(found, ParseFailure):
            assert isinstance(again, ParseFailure)
            assert str(again.error) == str(found.error)
        else:
            assert again == msgspec.structs.replace(found, message=replayed)


def test_the_attributes_id_names_the_elements_by_their_index() -> None:
    first, second = parsed_all([envelope(1), envelope(2)], id="7")
    assert first.record_id != second.record_id
    assert [one.message.attributes["id"] for one in (first, second)] == ["7#0", "7#1"]
    assert first.record_id == parse_answer(message_of(envelope(1), id="7#0")).record_id


def test_a_named_format_applies_to_the_elements() -> None:
    found = parsed_all([envelope(1), named(2), envelope(3)], format="groundwatch.envelope")
    assert [type(one).__name__ for one in found] == ["Answer", "ParseFailure", "Answer"]


NOT_DETECTED = {
    "nothing": {"answers": []},
    "other answers": {"query": "q", "answers": [{"reply": "a", "documents": [{"content": "d"}]}]},
    "candidates": [CANDIDATE, CANDIDATE],
    "scalars": ["a", 1],
    "no array": {"answers": {"answer": "a"}},
}


@pytest.mark.parametrize("value", NOT_DETECTED.values(), ids=NOT_DETECTED)
def test_a_message_without_a_known_answer_is_one_failure(value: object) -> None:
    [found] = parsed_all(value)
    assert isinstance(found, ParseFailure)
    assert "not recognised" in str(found.error)
    assert found.message.answer_place == "a.jsonl#4"


def test_a_wrapper_with_other_content_is_rejected() -> None:
    value = {"answers": [named(1), named(2)], "sources": ["the customer's own words"]}
    [found] = parsed_all(value)
    assert isinstance(found, ParseFailure)
    assert type(found.error).__name__ == "UnmappedFields"
    assert "sources" in str(found.error)
    assert "customer" not in str(found.error)


def test_an_answer_with_a_field_named_answers_is_one_answer() -> None:
    [answer] = parsed_all({"answer": "a", "facts": ["f"], "answers": [envelope(1), envelope(2)]})
    assert answer.answer_text == "a"


def test_the_number_of_answers_is_limited() -> None:
    payload = b"[" + b",".join([b'{"answer":""}'] * (MAX_ANSWERS + 1)) + b"]"
    [found] = parse_answers(message_of(payload))
    assert isinstance(found, ParseFailure)
    assert f"more than {MAX_ANSWERS}" in str(found.error)


def a_trace(answers: int, question: str) -> dict[str, Any]:
    """A span whose events are answers to one question."""
    events = [
        {"attributes": [{"key": "gen_ai.output.messages", "value": {"stringValue": str(number)}}]}
        for number in range(answers)
    ]
    asked = {"key": "gen_ai.input.messages", "value": {"stringValue": question}}
    span = {"traceId": "a" * 32, "spanId": "b" * 16, "attributes": [asked], "events": events}
    return {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}


COPIES: dict[str, tuple[object, dict[str, str]]] = {
    "attributes": ([envelope(number) for number in range(200)], {"note": "x" * 750_000}),
    "unreadable answers": ([envelope(1), *[{}] * 200], {"note": "x" * 750_000}),
    "carriers": (
        [{"message": {"data": "e30=", "attributes": {"a": "b"}}}] * 200,
        {"note": "x" * 750_000},
    ),
    "what events share": (a_trace(200, "x" * 750_000), {}),
}


@pytest.mark.parametrize("name", COPIES)
def test_what_all_answers_of_a_message_repeat_is_limited(name: str) -> None:
    value, attributes = COPIES[name]
    payload = json.dumps(value).encode()
    tracemalloc.start()
    [found] = parse_answers(message_of(payload, **attributes))
    assert tracemalloc.get_traced_memory()[1] < 2 * MAX_COPIED_BYTES
    tracemalloc.stop()
    assert isinstance(found, ParseFailure)
    assert found.message.payload == payload
    assert "each of them repeats" in str(found.error)
    half = {name: text[:1_000] for name, text in attributes.items()}
    fewer = json.dumps(value).replace("x" * 750_000, "x").encode()
    assert len(list(parse_answers(message_of(fewer, **half)))) >= 200


def test_the_answers_of_one_span_take_little_time_although_each_is_beside_the_others() -> None:
    started_s = time.thread_time()
    found = list(parse_answers(message_of(json.dumps(a_trace(1_000, "x")).encode())))
    # It took 12 s when each one's message was searched for all others.
    assert time.thread_time() - started_s < 5
    assert len({failure.message.element for failure in found}) == len(found) == 1_000


def test_one_of_several_answers_may_have_no_facts() -> None:
    value = [envelope(1), envelope(2, facts=None, contexts=["f"]), named(3)]
    found = parsed_all(value)
    assert type(found[1].error).__name__ == "UnmappedFields"
    assert isinstance(found[0], Answer)
    assert isinstance(found[2], Answer)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["answer", "answers", "name", "answerText", "facts", "response"])
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)
ANSWERS = st.sampled_from([envelope(1), named(1), named(2), {"answers": [envelope(1)]}])


@given(
    st.lists(values | ANSWERS, max_size=5), st.booleans(), st.sampled_from([None, 1]), st.booleans()
)
def test_the_bytes_of_every_element_parse_to_the_element(
    items: list[object], wrapped: bool, indent: int | None, escaped: bool
) -> None:
    value = {"answers": items} if wrapped else items
    payload = json.dumps(value, indent=indent, ensure_ascii=escaped).encode(errors="surrogatepass")
    found = list(parse_answers(message_of(payload)))
    assert found
    if len(found) > 1:
        assert len(found) == len(items)
        read = [json.loads(one.message.payload) for one in found]
        assert json.dumps(read) == json.dumps(items)


def test_the_references_of_each_answer_are_its_own() -> None:
    first, second = parsed_all(
        [
            named(1, references=[chunk_reference("One.")]),
            named(2, references=[chunk_reference("Two.")]),
        ]
    )
    assert [fact.text for fact in first.facts] == ["One."]
    assert [fact.text for fact in second.facts] == ["Two."]
