"""The examples that docs/formats.md links to are read."""

import json

import pytest

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.message import Message
from groundwatch.schemas.quantities import to_rfc3339
from groundwatch.transforms.formats.carriers.carrier_table import CARRIERS
from groundwatch.transforms.formats.parser import parse_answers
from tests.support.formats_page import EXAMPLES, PAGE
from tests.support.repository import ROOT

FOLDER = ROOT / "tests" / "data" / "formats"
QUERY, TIME = "Do lamps glow?", "2026-03-02T08:00:00Z"
TRACE, RESPONSE = "5b8efff798038103d269b633813fc60c", "r1"
# The query, the time, the trace id and the response id of each example.
READ = {
    "discoveryengine.answer": (None, TIME, None, None),
    "discoveryengine.answer_query": (QUERY, TIME, None, None),
    "discoveryengine.assist_answer": (None, None, None, None),
    "discoveryengine.stream_assist": (None, None, None, None),
    "discoveryengine.user_activity": (QUERY, TIME, None, None),
    "discoveryengine.grounded_content": (None, None, None, None),
    "discoveryengine.search_summary": (None, None, None, None),
    "discoveryengine.conversation": (QUERY, None, None, None),
    "discoveryengine.check_grounding": (None, None, None, None),
    "gemini.generate_content": (QUERY, TIME, None, RESPONSE),
    "gemini.stream_generate_content": (None, TIME, None, RESPONSE),
    "gemini.candidate": (None, None, None, None),
    "gemini.agent_events": (QUERY, None, None, None),
    "dialogflow.detect_intent": (QUERY, None, None, RESPONSE),
    "opentelemetry.gen_ai": (QUERY, None, None, RESPONSE),
    "groundwatch.envelope": (QUERY, TIME, None, None),
    "LogEntry": (QUERY, TIME, TRACE, None),
    "LogEntry in BigQuery": (QUERY, TIME, TRACE, None),
    "push body": (QUERY, TIME, None, None),
    "subscription row": (QUERY, TIME, None, None),
    "request-response log": (QUERY, TIME, None, RESPONSE),
    "batch output": (QUERY, TIME, None, RESPONSE),
    "interaction log": (QUERY, TIME, None, RESPONSE),
    "agent session": (QUERY, None, None, None),
    "OTLP traces": (QUERY, TIME, TRACE, RESPONSE),
    "OTLP logs": (QUERY, TIME, TRACE, RESPONSE),
    "span": (QUERY, TIME, TRACE, None),
}


def read(example: str) -> Answer:
    [answer] = parse_answers(Message(payload=example.encode(), place="a.jsonl#1"))
    assert isinstance(answer, Answer), answer
    return answer


def test_the_page_links_every_example_and_every_carrier_has_one() -> None:
    assert EXAMPLES.keys() == READ.keys()
    assert {path.stem for path in FOLDER.iterdir()} == {name.replace(" ", "_") for name in READ}
    names = " ".join(EXAMPLES)
    assert all(carrier.name in names for carrier in CARRIERS)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_read(name: str) -> None:
    answer = read(EXAMPLES[name])
    assert answer.answer_text == "Lamps glow in the dark."
    assert [fact.text for fact in answer.facts] == ["Lamps glow.", "The dark is dark."]
    time = to_rfc3339(answer.event_time_us)
    time = time and time.replace(".000000", "")
    assert (answer.query or None, time, answer.trace_id, answer.response_id) == READ[name]
    assert "." not in name or answer.source_format == name


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_with_a_name_has_one_record_id_at_every_place(name: str) -> None:
    message = Message(payload=EXAMPLES[name].encode(), place="b.jsonl#9")
    [other] = parse_answers(message)
    assert isinstance(other, Answer)
    is_nameless = name in NAMELESS
    assert (other.record_id == read(EXAMPLES[name]).record_id) is not is_nameless


NAMELESS = {
    # The response itself has no id and no time.
    *("discoveryengine.grounded_content", "discoveryengine.conversation", "gemini.candidate"),
    *("discoveryengine.check_grounding", "gemini.agent_events", "agent session"),
}


def test_the_page_shows_the_example_of_the_envelope() -> None:
    section = PAGE.partition("\n### `groundwatch.envelope`\n")[2].partition("\n## ")[0]
    shown = section.partition("```json\n")[2].partition("```")[0]
    assert json.loads(shown) == json.loads(EXAMPLES["groundwatch.envelope"])
