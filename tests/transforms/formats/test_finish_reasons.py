"""Why an answer ended: docs/formats.md lists the reasons, and every producer's place has each."""

import json
from copy import deepcopy
from typing import Any

import pytest

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.message import ParseOptions
from groundwatch.transforms.formats.field_maps.presets import PRESETS
from groundwatch.transforms.formats.finish_reasons import read_end
from groundwatch.transforms.formats.parser import ParseFailure, parse_answers
from groundwatch.transforms.rules.routing import route, routing_tags
from tests.support.answer_messages import message_of, parsed
from tests.support.formats_page import ENDS
from tests.transforms.formats.field_maps.test_presets import (
    ANSWER,
    CHAT,
    CHOICES,
    FACTS,
    QUERY,
    SHAPES,
    documents,
)

METADATA = ("finish_reason", "stop_reason", "stopReason", "done_reason", "status")
AI = ("messages", -1)
# Where the producers write a reason, by preset.
PLACES: dict[str, list[tuple[str | int, ...]]] = {
    "langchain.retrieval_chain": [("answer", "response_metadata", each) for each in METADATA],
    "langchain.rag_state": [("answer", "response_metadata", each) for each in METADATA],
    "langchain.messages": [(*AI, "data", "response_metadata", each) for each in METADATA],
    "langsmith.run": [("outputs", "choices", 0, "finish_reason")],
    "haystack.answers": [("answers", 0, "meta", "finish_reason")],
    "haystack.pipeline": [("answer_builder", "answers", 0, "meta", "finish_reason")],
    "haystack.generated_answer": [("meta", "finish_reason")],
    "haystack.component": [("init_parameters", "meta", "finish_reason")],
    "langfuse.trace": [("output", "finish_reason")],
    "langfuse.observation": [("output", "finish_reason"), ("level",)],
    "openai.responses": [("incomplete_details", "reason"), ("status",)],
    "anthropic.messages": [("stop_reason",)],
    "anthropic.exchange": [("response", "stop_reason")],
    "bedrock.retrieve_and_generate": [("guardrailAction",)],
    "litellm.payload": [("response", "choices", 0, "finish_reason"), ("status",)],
    "openai.chat_completions": [("choices", 0, "finish_reason")],
    "openai.chat_exchange": [("response", "choices", 0, "finish_reason")],
}
# Rows that are as these presets write them, where the shape has another form.
OTHER_ROWS = {
    "langchain.retrieval_chain": {"answer": {"content": ANSWER, "type": "ai"}},
    "langsmith.run": {"outputs": {"choices": CHOICES, "documents": documents()}},
}


def with_value(row: dict[str, Any], place: tuple[str | int, ...], value: object) -> dict[str, Any]:
    changed = deepcopy(row)
    holder: Any = changed
    for step in place[:-1]:
        holder = holder.setdefault(step, {}) if isinstance(step, str) else holder[step]
    holder[place[-1]] = value
    return changed


def ended(answer: Answer) -> tuple[str | None, str | None]:
    decision = route(answer)
    [tag] = [*routing_tags(answer)] or [None]
    return decision and str(decision.verdict), tag and str(tag)


def test_every_preset_with_a_reason_has_its_places() -> None:
    with_reason = {each.name for each in PRESETS if "finish_reason" in each.field_map.paths}
    assert {*PLACES} == with_reason


def test_the_page_names_the_reasons() -> None:
    assert len(ENDS) > 40
    assert {each.tag for each in ENDS.values()} == {None, "TRUNCATED", "ABNORMAL_FINISH"}


@pytest.mark.parametrize(
    ("name", "place"), [(name, place) for name, places in PLACES.items() for place in places]
)
def test_a_preset_reads_every_reason(name: str, place: tuple[str | int, ...]) -> None:
    row = SHAPES[name].row | OTHER_ROWS.get(name, {})
    found = {}
    for reason in ENDS:
        answer = parsed(with_value(row, place, reason))
        assert (answer.source_format, answer.answer_text) == (name, ANSWER)
        found[reason] = ended(answer)
    assert found == {reason: (each.with_text, each.tag) for reason, each in ENDS.items()}


OBSERVATION = SHAPES["langfuse.observation"].row
# Rows without a text, and where they have a reason.
EMPTY: dict[str, tuple[dict[str, Any], tuple[str | int, ...]]] = {
    "openai.chat_completions": (
        {"messages": CHAT, "choices": [{"message": {"content": None}}]},
        ("choices", 0, "finish_reason"),
    ),
    "openai.responses": (
        {"object": "response", "model": "m", "output": [], "status": "completed"},
        ("status",),
    ),
    "anthropic.messages": (
        {"type": "message", "role": "assistant", "content": []},
        ("stop_reason",),
    ),
    "anthropic.exchange": (
        {"request": {"messages": CHAT[:1]}, "response": {"content": []}},
        ("response", "stop_reason"),
    ),
    "langfuse.observation": (OBSERVATION | {"output": None}, ("level",)),
}


@pytest.mark.parametrize(("name", "row", "place"), [(name, *each) for name, each in EMPTY.items()])
def test_a_row_without_a_text_ends_as_its_reason_says(
    name: str, row: dict[str, Any], place: tuple[str | int, ...]
) -> None:
    for reason, expected in ENDS.items():
        answer = parsed(with_value(row, place, reason))
        assert (answer.source_format, answer.answer_text) == (name, "")
        assert ended(answer) == (expected.without_text, expected.tag), reason


REFUSAL = "I cannot help with that."
BLOCKED = {"type": "ai", "content": "", "response_metadata": {"finish_reason": "SAFETY"}}
REFUSED = {
    "a message of a chat": {
        "messages": CHAT,
        "choices": [{"finish_reason": "stop", "message": {"content": None, "refusal": REFUSAL}}],
    },
    "a content of a response": {
        "object": "response",
        "model": "m",
        "status": "completed",
        "output": [{"type": "message", "content": [{"type": "refusal", "refusal": REFUSAL}]}],
    },
    "a message of LangChain": {
        "messages": [
            {"type": "human", "content": QUERY},
            {"type": "ai", "content": ANSWER, "additional_kwargs": {"refusal": REFUSAL}},
        ]
    },
    "the last message of a chat": {
        "messages": [*CHAT[:1], {"role": "assistant", "content": None, "refusal": REFUSAL}]
    },
    "an empty message of LangChain": {"messages": [{"type": "human", "content": QUERY}, BLOCKED]},
    "an empty answer of a chain": {"input": QUERY, "context": documents(), "answer": BLOCKED},
    "a message in an observation": OBSERVATION
    | {"output": {"role": "assistant", "content": None, "refusal": REFUSAL}},
    "a filter's error": {
        "request": {"messages": CHAT},
        "response": {"error": {"code": "content_filter", "message": "Filtered."}},
    },
}


@pytest.mark.parametrize("row", REFUSED.values(), ids=REFUSED)
def test_the_text_of_a_refusal_is_policy(row: dict[str, Any]) -> None:
    assert ended(parsed(row)) == ("POLICY_SKIPPED", None)


FAILED = {
    "a run": SHAPES["langsmith.run"].row | {"outputs": None, "error": "ValueError('no index')"},
    "a response": {
        "object": "response",
        "model": "m",
        "output": [],
        "status": "failed",
        "error": {"code": "server_error", "message": "The model had an error."},
    },
    "a payload": {"messages": CHAT, "response": {}, "status": "failure", "error_str": "Timeout"},
    "an exchange": {
        "request": {"messages": CHAT},
        "response": {"type": "error", "error": {"type": "overloaded_error"}},
    },
}


@pytest.mark.parametrize("row", FAILED.values(), ids=FAILED)
def test_an_error_without_a_text_is_a_failed_generation(row: dict[str, Any]) -> None:
    answer = parsed(row)
    assert ended(answer) == ("GENERATION_FAILED", "ABNORMAL_FINISH")
    assert answer.finish_reason == "ERROR"


SPANS = ("message", "attribute", "OpenInference", "a row of Phoenix", "JSON in an output")


@pytest.mark.parametrize("place", SPANS)
def test_spans_have_every_reason(place: str) -> None:
    for reason, expected in ENDS.items():
        message = {"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}
        attributes: dict[str, Any] = {
            "gen_ai.input.messages": [{"role": "tool", "content": FACTS[0]}],
            "gen_ai.output.messages": [message],
        }
        if place == "message":
            message["finish_reason"] = reason
        elif place == "attribute":
            attributes["gen_ai.response.finish_reasons"] = [reason]
        else:
            attributes = {
                "openinference.span.kind": "LLM",
                "output.value": ANSWER,
                "retrieval.documents.0.document.content": FACTS[0],
                "llm.finish_reason": reason,
            }
        if place == "JSON in an output":
            choices = [{"message": {"content": ANSWER}, "finish_reason": reason}]
            attributes["output.value"] = json.dumps({"choices": choices})
            del attributes["llm.finish_reason"]
        span: dict[str, Any] = {"name": "s", "attributes": attributes}
        if place == "a row of Phoenix":
            span = {f"attributes.{name}": each for name, each in attributes.items()}
        answer = parsed(span)
        # The answers of a model have no finish reason until they end.
        tag = "UNFINISHED" if expected.with_text == "INCOMPLETE" else expected.tag
        assert ended(answer) == (expected.with_text, tag), reason


@pytest.mark.parametrize("text", ["", ANSWER])
def test_a_span_that_failed_has_not_ended_well(text: str) -> None:
    row = {
        "status_code": "ERROR",
        "attributes.openinference.span.kind": "LLM",
        "attributes.output.value": text,
        "reference": FACTS[0],
    }
    attributes = {
        "error.type": "timeout",
        "gen_ai.output.messages": [{"role": "assistant", "content": text}],
        "gen_ai.retrieval.documents": [FACTS[0]],
    }
    for span in (row, {"name": "s", "attributes": attributes}):
        verdict, tag = ended(parsed(span))
        assert (verdict, tag) == (None if text else "GENERATION_FAILED", "ABNORMAL_FINISH")


def test_the_first_reason_that_says_more_counts() -> None:
    assert read_end(["stop", "length"]) == read_end(["max_tokens"])
    assert read_end(["success", "stop"]) == read_end(["stop"])
    assert read_end(["Refusal", "error"]).finish_reason == "SAFETY"
    assert read_end([]) == read_end(["none", ""]) == (None, None)


@pytest.mark.parametrize(
    ("pair", "value", "end"),
    [
        (("finish_reason", "$.why"), {"why": "LENGTH"}, (None, "TRUNCATED")),
        (("refusal", "$.no"), {"no": REFUSAL}, ("POLICY_SKIPPED", None)),
        (("refusal", "$.no"), {"no": ""}, (None, None)),
        (("error", "$.error"), {"error": {"code": 5}}, (None, "ABNORMAL_FINISH")),
    ],
)
def test_a_map_names_the_reason(
    pair: tuple[str, str], value: dict[str, Any], end: tuple[str | None, str | None]
) -> None:
    row = {"said": ANSWER, "found": list(FACTS), **value}
    own_map = (("answer", "$.said"), ("facts", "$.found"), pair)
    [answer] = parse_answers(message_of(row), ParseOptions(own_map=own_map))
    assert not isinstance(answer, ParseFailure)
    assert ended(answer) == end
