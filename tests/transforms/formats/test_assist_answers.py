"""Answers of Gemini Enterprise's assistant, its streams and its user activity log."""

from importlib import import_module
from typing import Any

import pytest

from groundwatch.schemas.answer import Citation, Fact, GroundingSupport
from groundwatch.schemas.message import UnmappedFields, UnreadableAnswer
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.rules.routing import route
from tests.support.answer_messages import message_of, parse_answer, parsed
from tests.support.official_messages import the_answer

NAME = "projects/1/locations/global/collections/c/engines/shop/sessions/s1/assistAnswers/a1"
FIRST, SECOND = "Grüße! ", "Lamps glow."
TEXT = FIRST + SECOND
START, END = len(FIRST.encode()), len(TEXT.encode())


def test_an_answer_is_read_as_the_client_wrote_it() -> None:
    client = import_module("google.cloud.discoveryengine_v1")
    official = client.StreamAssistResponse(
        answer=client.AssistAnswer(
            name=NAME,
            state=client.AssistAnswer.State.SUCCEEDED,
            replies=[
                {"grounded_content": {"content": {"text": "Hm.", "thought": True}}},
                {"grounded_content": {"content": {"role": "model", "text": FIRST}}},
                {
                    "grounded_content": {
                        "content": {"role": "model", "text": SECOND},
                        "text_grounding_metadata": {
                            "segments": [
                                {
                                    "start_index": 0,
                                    "end_index": 11,
                                    "reference_indices": [1],
                                    "grounding_score": 0.75,
                                    "text": SECOND,
                                }
                            ],
                            "references": [
                                {"content": "A lamp is a light."},
                                {
                                    "content": "Lamps glow.",
                                    "document_metadata": {
                                        "uri": "u",
                                        "title": "t",
                                        "document": "d",
                                    },
                                },
                            ],
                        },
                    }
                },
            ],
        ),
        session_info={"session": "projects/1/sessions/s1"},
        assist_token="t1",  # noqa: S106
    )
    answer = the_answer(official)
    assert (answer.answer_text, answer.answer_name) == (TEXT, NAME)
    assert (answer.engine, answer.session, answer.state) == ("shop", "s1", "SUCCEEDED")
    assert answer.facts == (
        Fact(text="A lamp is a light."),
        Fact(text="Lamps glow.", uri="u", title="t", document="d"),
    )
    assert answer.citations == (Citation(start=START, end=END, facts=(1,)),)
    assert answer.supports == (GroundingSupport(start=START, end=END, facts=(1,), score=0.75),)


def reply(text: str, **metadata: Any) -> dict[str, Any]:
    return {"groundedContent": {"content": {"text": text}, "textGroundingMetadata": metadata}}


def answer_of(*replies: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"state": "SUCCEEDED", "replies": list(replies)} | fields


REFERENCES = [{"content": "Lamps glow."}]
SEGMENT = {"startIndex": "0", "endIndex": "4", "referenceIndices": [0]}
ENDS = {
    "the whole answer": [
        answer_of(reply("Well, "), state="IN_PROGRESS"),
        answer_of(reply("lamps glow."), state="IN_PROGRESS"),
        answer_of(reply("Well, lamps glow.", references=REFERENCES)),
    ],
    "growing answers": [
        answer_of(reply("Well, "), state="IN_PROGRESS"),
        answer_of(reply("Well, lamps"), state="IN_PROGRESS"),
        answer_of(reply("Well, lamps glow.", references=REFERENCES)),
    ],
    "the last part": [
        answer_of(reply("Well, "), state="IN_PROGRESS"),
        answer_of(reply("lamps glow.", references=REFERENCES)),
    ],
    "no text": [
        answer_of(reply("Well, "), state=1, name=NAME),
        answer_of(reply("lamps glow.", references=REFERENCES), state=1),
        {"state": "SUCCEEDED"},
    ],
}


@pytest.mark.parametrize("answers", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("is_bare", [True, False], ids=["bare", "responses"])
def test_a_stream_is_one_answer_however_it_ends(
    answers: list[dict[str, Any]], *, is_bare: bool
) -> None:
    answer = parsed(answers if is_bare else [{"answer": each} for each in answers])
    assert (answer.answer_text, len(answer.facts)) == ("Well, lamps glow.", 1)
    assert answer.state == "SUCCEEDED"


def test_offsets_count_within_their_reply() -> None:
    answers = [
        answer_of(reply("Grüße! "), state="IN_PROGRESS"),
        answer_of(reply("Lamp.", references=REFERENCES, segments=[SEGMENT])),
    ]
    [citation] = parsed(answers).citations
    assert (citation.start, citation.end) == (START, START + 4)


def test_a_stream_that_does_not_end_is_incomplete() -> None:
    answer = parsed([{"answer": answer_of(reply("Well"), state=1)}, {"answer": {"state": 1}}])
    assert (answer.answer_text, answer.state) == ("Well", "IN_PROGRESS")


@pytest.mark.parametrize("element", [7, "said", None, []])
def test_an_element_that_is_not_an_object_makes_a_named_stream_unreadable(element: object) -> None:
    message = message_of([{"answer": {"state": "SUCCEEDED"}}, element])
    with pytest.raises(UnreadableAnswer):
        parse_answer(message, input_format="discoveryengine.stream_assist")


def test_an_error_ends_a_stream() -> None:
    error = {"error": {"code": 3, "status": "INVALID_ARGUMENT"}}
    decision = route(parsed([{"answer": answer_of(reply("W"), state=1)}, error]))
    assert decision is not None
    assert (decision.verdict, decision.reason) == (Verdict.GENERATION_FAILED, "INVALID_ARGUMENT")


SKIPPED = {
    "not a question": (
        {"state": "SKIPPED", "assistSkippedReasons": ["NON_ASSIST_SEEKING_QUERY_IGNORED"]},
        (Verdict.NOT_ANSWERED, "NON_ASSIST_SEEKING_QUERY_IGNORED"),
    ),
    "a policy, by number": (
        {"state": 4, "assistSkippedReasons": [2]},
        (Verdict.POLICY_SKIPPED, "CUSTOMER_POLICY_VIOLATION"),
    ),
    "the log's name": (
        {"replies": [], "skippedReasons": ["CUSTOMER_POLICY_VIOLATION"]},
        (Verdict.POLICY_SKIPPED, "CUSTOMER_POLICY_VIOLATION"),
    ),
    "a policy's verdict": (
        {"customerPolicyEnforcementResult": {"verdict": "BLOCK", "policyResults": [{"a": "b"}]}},
        (Verdict.POLICY_SKIPPED, "CUSTOMER_POLICY_VIOLATION"),
    ),
    "no reason": ({"state": "SKIPPED", "replies": []}, (Verdict.NOT_ANSWERED, "SKIPPED")),
    "cancelled": ({"state": "CANCELLED", "replies": []}, (Verdict.GENERATION_FAILED, "CANCELLED")),
    "failed": ({"state": 2, "replies": []}, (Verdict.GENERATION_FAILED, "FAILED")),
}


@pytest.mark.parametrize(("fields", "expected"), SKIPPED.values(), ids=SKIPPED)
def test_reasons_lead_to_verdicts(fields: dict[str, Any], expected: tuple[Verdict, str]) -> None:
    decision = route(parsed({"name": NAME} | fields))
    assert decision is not None
    assert (decision.verdict, decision.reason) == expected


def activity(response: object, **fields: object) -> dict[str, object]:
    metadata = {"timestamp": "2026-03-02T08:00:00Z", "name": NAME, "methodName": "StreamAssist"}
    return {"logMetadata": metadata, "request": {"query": {"text": "q"}}, "response": response} | (
        fields
    )


FOUND = {
    "an answer": {"answer": answer_of(reply("Lamps glow.", references=REFERENCES))},
    "a stream": [{"answer": answer_of(reply("Lamps glow.", references=REFERENCES))}],
    "answerQuery": {
        "answer": {"answerText": "Lamps glow.", "references": [{"chunkInfo": REFERENCES[0]}]},
        "answerQueryToken": "t",
    },
    "grounded content": {
        "candidates": [
            {
                "content": {"parts": [{"text": "Lamps glow."}]},
                "groundingMetadata": {"supportChunks": [{"chunkText": "Lamps glow."}]},
            }
        ]
    },
}


@pytest.mark.parametrize("response", FOUND.values(), ids=FOUND)
def test_an_entry_of_the_log_is_read_with_its_request(response: object) -> None:
    answer = parsed(activity(response))
    assert (answer.answer_text, answer.query, answer.engine) == ("Lamps glow.", "q", "shop")
    assert [fact.text for fact in answer.facts] == ["Lamps glow."]
    assert answer.event_time_us == 1_772_438_400_000_000


ELIDED = "<elided>"
HIDDEN = {
    "the text": {"answer": answer_of(reply(ELIDED, references=REFERENCES))},
    "text and facts": {"answer": answer_of(reply(ELIDED, references=[{"content": ELIDED}]))},
    "the facts": {"answer": answer_of(reply("Lamps glow.", references=ELIDED))},
    "the replies": {"answer": {"state": "SUCCEEDED", "name": NAME, "replies": ELIDED}},
    "the response": ELIDED,
}


@pytest.mark.parametrize("response", HIDDEN.values(), ids=HIDDEN)
def test_elided_text_is_a_reason_of_its_own(response: object) -> None:
    decision = route(parsed(activity(response, serviceTextReply=ELIDED)))
    assert decision is not None
    assert (decision.verdict, decision.reason) == (Verdict.UNSCORABLE, "ELIDED")


@pytest.mark.parametrize("is_inner", [False, True], ids=["in the entry", "in the response"])
def test_the_reply_beside_the_answer_is_read(is_inner: bool) -> None:
    response = {"answer": answer_of(reply("", references=REFERENCES))}
    beside = {"serviceTextReply": "Lamps glow."}
    entry = activity(response | beside) if is_inner else activity(response, **beside)
    answer = parsed(entry)
    assert (answer.answer_text, len(answer.facts)) == ("Lamps glow.", 1)


def test_an_empty_answer_is_not_elided() -> None:
    decision = route(parsed(activity({"answer": {"state": "SUCCEEDED", "replies": []}})))
    assert decision is not None
    assert decision.reason == "NO_TEXT"


def test_an_entry_without_an_answer_names_the_methods() -> None:
    with pytest.raises(UnreadableAnswer, match="StreamAssist"):
        parsed(activity({"results": [{"id": "1"}]}))


def test_new_fields_of_an_answer_are_not_ignored() -> None:
    fresh = {"answer": answer_of(reply("Lamps glow.")) | {"evidence": REFERENCES}}
    with pytest.raises(UnmappedFields, match=r"response\.answer\.evidence"):
        parsed(activity(fresh))


def test_the_token_names_an_answer_in_the_log_and_alone() -> None:
    response = {"answer": answer_of(reply("Lamps glow.")), "assistToken": "t1"}
    alone = parse_answer(message_of(response, place="a"))
    assert alone.record_id == parse_answer(message_of(activity(response), place="b")).record_id
