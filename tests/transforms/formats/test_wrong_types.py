"""Wrong types in messages: rejected in essential fields, tolerated in details."""

import json

import msgspec
import pytest

from groundwatch.schemas.message import UnreadableAnswer
from tests.support.answer_messages import chunk_reference, message_of, parse_answer, parsed

GOOD = {"answerText": "Yes, in 3 days.", "references": [chunk_reference("3 days.")]}
WORDS = "the customer's own words"

UNREADABLE = {
    "answerText": {"answerText": 5},
    "answerText object": {"answerText": {"text": WORDS}},
    "references object": {**GOOD, "references": {"0": WORDS}},
    "reference": {**GOOD, "references": [WORDS]},
    "null reference": {**GOOD, "references": [None]},
    "chunkInfo": {**GOOD, "references": [{"chunkInfo": WORDS}]},
    "content": {**GOOD, "references": [{"chunkInfo": {"content": [WORDS]}}]},
    "passage's content": {
        **GOOD,
        "references": [{"unstructuredDocumentInfo": {"chunkContents": [{"content": 7}]}}],
    },
    "structData": {**GOOD, "references": [{"structuredDocumentInfo": {"structData": WORDS}}]},
    "state": {**GOOD, "state": [3]},
    "state is a fraction": {**GOOD, "state": 2.5},
    "name": {**GOOD, "name": 17},
    "skip reasons": {**GOOD, "answerSkippedReasons": "LOW_GROUNDED_ANSWER"},
    "skip reason": {**GOOD, "answerSkippedReasons": [{"reason": 1}]},
    "skip reason is a truth": {**GOOD, "answerSkippedReasons": [True]},
    "groundingScore": {**GOOD, "groundingScore": [0.5]},
    "groundingScore in words": {**GOOD, "groundingScore": "high"},
    "safetyRatings": {**GOOD, "safetyRatings": {"blocked": True}},
    "safety rating": {**GOOD, "safetyRatings": ["HIGH"]},
    "blocked": {**GOOD, "safetyRatings": [{"blocked": "perhaps"}]},
    "candidate's parts": {"content": {"parts": WORDS}},
    "candidate's text": {"content": {"parts": [{"text": [WORDS]}]}},
    "candidate": {"candidates": [WORDS]},
    "attribution's content": {"finishReason": 1, "groundingAttributions": [{"content": WORDS}]},
    "envelope's query": {"answer": "a", "query": 5},
    "envelope's facts": {"answer": "a", "facts": 5},
    "envelope's fact": {"answer": "a", "facts": [5]},
    "envelope's fact's text": {"answer": "a", "facts": [{"text": 5}]},
    "envelope's id": {"answer": "a", "id": [5]},
    "envelope's id is a truth": {"answer": "a", "id": True},
    "envelope's time": {"answer": "a", "time": {"seconds": 5}},
    "envelope's engine": {"answer": "a", "engine": []},
}


@pytest.mark.parametrize("value", UNREADABLE.values(), ids=UNREADABLE)
def test_an_essential_field_of_a_wrong_type_is_rejected(value: object) -> None:
    with pytest.raises(UnreadableAnswer) as raised:
        parsed(value)
    assert WORDS not in str(raised.value)


FORGIVEN = {
    "steps": {"steps": "none"},
    "step": {"steps": ["none", {"actions": [5]}]},
    "createTime": {"createTime": 5},
    "queryUnderstandingInfo": {"queryUnderstandingInfo": []},
    "citations": {"citations": "none"},
    "groundingSupports": {"groundingSupports": {}},
    "relatedQuestions": {"relatedQuestions": 5},
    "unknown field": {"colour": {"of": ["the", {"sky": 1}]}},
}


@pytest.mark.parametrize("detail", FORGIVEN.values(), ids=FORGIVEN)
def test_an_answer_is_not_lost_to_a_detail_of_a_wrong_type(detail: dict[str, object]) -> None:
    answer = parsed(GOOD | detail)
    assert answer.answer_text == "Yes, in 3 days."
    assert answer.facts[0].text == "3 days."


def test_a_detail_of_a_wrong_type_does_not_affect_others() -> None:
    metadata = {"title": 5, "uri": "u", "document": ["d"], "pageIdentifier": "4"}
    fact = parsed(
        {
            "answerText": "a",
            "references": [{"chunkInfo": {"content": "c", "documentMetadata": metadata}}],
        }
    ).facts[0]
    assert (fact.title, fact.uri, fact.document, fact.attributes) == (
        None,
        "u",
        None,
        {"page": "4"},
    )


def with_field(text: str) -> bytes:
    return f'{{"answerText": "a", {text}}}'.encode()


REPEATED = {
    "answerText": '"answerText": "b"',
    "state": '"state": 3, "state": 4',
    "null and value": '"state": null, "state": 4',
    "content": '"references": [{"chunkInfo": {"content": "a", "content": "b"}}]',
    "title": '"references": [{"chunkInfo": {"documentMetadata": {"title": "a", "title": "b"}}}]',
    "structData": '"references": [{"structuredDocumentInfo": {"structData": {"a": 1, "a": 2}}}]',
    "citation": '"citations": [{"startIndex": 0, "startIndex": 1, "endIndex": 1}]',
    "steps": '"steps": [], "steps": []',
}


@pytest.mark.parametrize("field", REPEATED.values(), ids=REPEATED)
def test_a_repeated_field_that_is_read_is_rejected(field: str) -> None:
    with pytest.raises(UnreadableAnswer, match="twice"):
        parse_answer(message_of(with_field(field)))


def test_a_repeated_field_that_decides_the_format_is_rejected() -> None:
    with pytest.raises(UnreadableAnswer, match="twice"):
        parse_answer(message_of(b'{"answer": "a", "answer": "b"}'))


HARMLESS = {
    "unknown field twice": '"colour": 1, "colour": 2',
    "dropped field twice": '"relatedQuestions": [], "relatedQuestions": []',
    "unread metadata": '"steps": [{"state": 1, "state": 2}]',
    "unread 1e400": '"colour": 1e400',
    "unread 5,000 digits": '"colour": ' + "9" * 5000,
    "dropped score": '"references": [{"chunkInfo": {"relevanceScore": 1e400}}]',
}


@pytest.mark.parametrize("field", HARMLESS.values(), ids=HARMLESS)
def test_a_repeated_or_huge_field_that_is_not_read_is_ignored(field: str) -> None:
    assert parse_answer(message_of(with_field(field))).answer_text == "a"


def test_a_huge_number_beside_empty_facts_is_ignored() -> None:
    row = {"user_input": "q", "response": "a", "retrieved_contexts": []}
    payload = json.dumps(row)[:-1] + ', "tokens": ' + "9" * 5000 + "}"
    assert not parse_answer(message_of(payload.encode())).facts


OUT_OF_RANGE_SCORES = {
    "groundingScore 1e400": '"groundingScore": 1e400',
    "groundingScore of 5,000 digits": '"groundingScore": ' + "9" * 5000,
    "support's score": '"groundingSupports": [{"groundingScore": 1e400}]',
    "rating's score": '"safetyRatings": [{"probabilityScore": 1e400}]',
    "fact text": '"references": [{"structuredDocumentInfo": {"structData": {"a": 1e400}}}]',
}


@pytest.mark.parametrize("field", OUT_OF_RANGE_SCORES.values(), ids=OUT_OF_RANGE_SCORES)
def test_a_score_out_of_range_is_rejected(field: str) -> None:
    with pytest.raises(UnreadableAnswer, match="range"):
        parse_answer(message_of(with_field(field)))


@pytest.mark.parametrize(
    ("written", "score"),
    [
        (0.5, 0.5),
        ("0.5", 0.5),
        (0, 0.0),
        (1, 1.0),
        (None, None),
        ("NaN", None),
        ("Infinity", None),
        ("-Infinity", None),
        (1.5, None),
        (-0.1, None),
        (10**300, None),
    ],
)
def test_a_score_is_a_proportion_or_absent(written: object, score: float | None) -> None:
    assert parsed(GOOD | {"groundingScore": written}).generator_grounding_score == score
    answered = {"answer": {"finishReason": 1}, "answerableProbability": written}
    assert parsed(answered).answerable_probability == score


SPAN = {"startIndex": "", "endIndex": "3"}
EMPTY_STRINGS = {
    "score": (GOOD | {"groundingScore": ""}, GOOD),
    "offset of a citation": (GOOD | {"citations": [SPAN]}, GOOD | {"citations": [{"endIndex": 3}]}),
    "offset and score of a support": (
        GOOD | {"groundingSupports": [SPAN | {"groundingScore": ""}]},
        GOOD | {"groundingSupports": [{"endIndex": 3}]},
    ),
    "score of a rating": (
        GOOD | {"safetyRatings": [{"category": 1, "probabilityScore": "", "severityScore": ""}]},
        GOOD | {"safetyRatings": [{"category": 1}]},
    ),
    "answerable probability": (
        {"answer": {"finishReason": 1}, "answerableProbability": ""},
        {"answer": {"finishReason": 1}},
    ),
    "segment": (
        {
            "content": {"parts": [{"text": "Yes."}]},
            "groundingMetadata": {
                "groundingSupports": [
                    {"segment": {"partIndex": "", "startIndex": "", "endIndex": 3}}
                ]
            },
        },
        {
            "content": {"parts": [{"text": "Yes."}]},
            "groundingMetadata": {"groundingSupports": [{"segment": {"endIndex": 3}}]},
        },
    ),
}


@pytest.mark.parametrize(("written", "absent"), EMPTY_STRINGS.values(), ids=EMPTY_STRINGS)
def test_an_empty_string_in_a_score_or_offset_is_absent(written: object, absent: object) -> None:
    read = [parse_answer(message_of(value)) for value in (written, absent)]
    no_message = message_of({})
    assert msgspec.structs.replace(read[0], message=no_message) == msgspec.structs.replace(
        read[1], message=no_message
    )


def test_numbers_may_be_written_as_strings_and_enums_as_digits() -> None:
    citation = {"startIndex": "0", "endIndex": "3", "sources": [{"referenceId": 0}]}
    answer = parsed(GOOD | {"state": "3", "citations": [citation]})
    assert answer.state == "SUCCEEDED"
    assert [(found.start, found.end, found.facts) for found in answer.citations] == [(0, 3, (0,))]


def test_null_empty_and_absent_fields_are_the_same() -> None:
    empty = {
        "name": "",
        "state": 0,
        "citations": [],
        "steps": None,
        "createTime": "",
        "queryUnderstandingInfo": None,
    }
    attributes = {"id": "1"}
    read = [
        parse_answer(message_of(json.loads(json.dumps(value)), **attributes))
        for value in (GOOD, GOOD | empty)
    ]
    assert read[0].record_id == read[1].record_id
    assert (read[1].answer_name, read[1].state, read[1].tags) == (None, None, ())


def test_a_citation_of_a_summary_that_does_not_parse_is_dropped_and_tagged() -> None:
    citations = [{"endIndex": 3, "sources": [{}]}, {"endIndex": WORDS}]
    summary = {
        "summary": "Yes, in 3 days.",
        "citationMetadata": {"citations": citations},
        "references": [{"title": "Returns", "chunkContents": [{"content": "3 days."}]}],
    }
    answer = parsed({"summary": {"summaryWithMetadata": summary}})
    assert [(each.end, each.facts) for each in answer.citations] == [(3, (0,))]
    assert answer.tags == ("BAD_OFFSETS",)
