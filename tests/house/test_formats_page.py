"""The examples of docs/formats.md are read as its table says."""

import re

import pytest

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.message import Message
from groundwatch.schemas.quantities import to_rfc3339
from groundwatch.transforms.formats.carriers.carrier_table import CARRIERS
from groundwatch.transforms.formats.parser import parse_answers
from tests.support.formats_page import EXAMPLES, PAGE

_ROW = re.compile(r"^\| `([^`]+)` \| .*? \| (.* \| .* \| .* \| .*) \|$", re.MULTILINE)
ROWS = {name: cells.split(" | ") for name, cells in _ROW.findall(PAGE) if name in EXAMPLES}


def read(example: str) -> Answer:
    [answer] = parse_answers(Message(payload=example.encode(), place="a.jsonl#1"))
    assert isinstance(answer, Answer), answer
    return answer


def test_every_example_has_a_row_and_every_carrier_an_example() -> None:
    assert EXAMPLES.keys() == ROWS.keys()
    names = " ".join(EXAMPLES)
    assert all(carrier.name in names for carrier in CARRIERS)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_read_as_the_table_says(name: str) -> None:
    answer = read(EXAMPLES[name])
    assert answer.answer_text == "Lamps glow in the dark."
    assert [fact.text for fact in answer.facts] == ["Lamps glow.", "The dark is dark."]
    time = to_rfc3339(answer.event_time_us)
    found = [answer.query, time and time.replace(".000000", ""), answer.trace_id]
    assert [each or "-" for each in [*found, answer.response_id]] == ROWS[name]
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
