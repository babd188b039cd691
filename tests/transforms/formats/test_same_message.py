"""A message means the same in another spelling, with null fields, in a carrier and in an array."""

import base64
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from groundwatch.transforms.formats.parser import ParseFailure, parse_answers
from tests.support.answer_messages import message_of
from tests.transforms.formats.test_moved_fields import ROWS

Change = Callable[[Any], Any]
PART = {"text": "Lamps glow."}
FACT = {"groundingMetadata": {"groundingChunks": [{"retrievedContext": PART}]}}
STREAMS: dict[str, Any] = {
    "discoveryengine.stream_answer": [
        {"answer": {"state": "STREAMING", "answerText": "Lamps "}},
        {
            "answer": {
                "state": 1,
                "answerText": "glow.",
                "references": [{"chunkInfo": {"content": "Yes."}}],
            }
        },
    ],
    "vertex.stream_generate_content": [
        {"candidates": [{"content": {"parts": [{"text": "Lamps "}]}}]},
        {"candidates": [{"content": {"parts": [{"text": "glow."}]}} | FACT]},
    ],
}
ASKED = {"contents": [{"role": "user", "parts": [{"text": "Do they?"}]}]}
READ = {name: row for name, row in ROWS.items() if "ticket" not in row}  # a map reads that one
READ |= STREAMS
READ["gemini.generate_answer"] = {
    "request": ASKED | {"inlinePassages": {"passages": [{"content": {"parts": [PART]}}]}},
    "response": {"answer": {"content": {"parts": [PART]}}, "answerableProbability": 0.5},
}
# No producer writes these into a log entry that BigQuery writes in lower case.
NEVER_LOWER = {
    *("gemini.agent_events", "push body", "agent session", "OTLP traces", "OTLP logs"),
    "bedrock.retrieve_and_generate",
}
# A list of these would be one of Haystack's, or of parts of a stream.
ALONE = {"subscription row", "haystack.generated_answer", *STREAMS}
LOG, ROW = {"logName": "l", "insertId": "i"}, {"subscription_name": "s", "message_id": "1"}


def each_field(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Change:
    """Return what changes the fields of a value at every depth."""

    def changed(value: Any) -> Any:
        if isinstance(value, list):
            return [changed(item) for item in value]
        if isinstance(value, dict):
            return change({name: changed(field) for name, field in value.items()})
        return value

    return changed


def names(spell: Callable[[str], str]) -> Change:
    return each_field(
        lambda fields: {name if "." in name else spell(name): fields[name] for name in fields}
    )


CHANGES: dict[str, Change] = {
    "snake case": names(lambda name: re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", name)),
    "camel case": names(lambda name: re.sub("_([a-z])", lambda found: found[1].upper(), name)),
    "another order": each_field(lambda fields: dict(reversed(fields.items()))),
    "null fields": each_field(lambda fields: dict.fromkeys(("state", "content", "query")) | fields),
    "a log entry": lambda value: LOG | {"jsonPayload": value},
    "a text of a log entry": lambda value: LOG | {"textPayload": json.dumps(value)},
    "a row of a subscription": lambda value: ROW | {"data": json.dumps(value), "attributes": "{}"},
    "a push body": lambda value: {
        "message": {
            "data": base64.b64encode(json.dumps(value).encode()).decode(),
            "messageId": "1",
        },
        "subscription": "s",
    },
}
in_lower_case = names(str.lower)


def read(value: Any) -> list[tuple[str, str | None, tuple[str, ...]] | str]:
    return [
        str(found.error)
        if isinstance(found, ParseFailure)
        else (found.answer_text, found.query, tuple(fact.text for fact in found.facts))
        for found in parse_answers(message_of(value))
    ]


@pytest.mark.parametrize("value", READ.values(), ids=READ)
def test_it_is_read_as_before(value: Any) -> None:
    found = {name: read(change(value)) for name, change in CHANGES.items()}
    assert found == dict.fromkeys(CHANGES, read(value))


@pytest.mark.parametrize("name", sorted(READ.keys() - NEVER_LOWER))
def test_it_is_read_in_the_lower_case_of_bigquery(name: str) -> None:
    assert read(in_lower_case(LOG | {"jsonPayload": READ[name]})) == read(READ[name])


@pytest.mark.parametrize("name", sorted(READ.keys() - ALONE))
def test_two_of_them_are_two_answers(name: str) -> None:
    assert read({"answers": [READ[name]] * 2}) == 2 * read(READ[name])
