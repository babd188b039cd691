"""groundwatch's own format, for any chatbot."""

import pytest

from groundwatch.schemas.answer import Fact
from groundwatch.schemas.message import UnmappedFields, UnreadableAnswer
from tests.support.answer_messages import parsed


def test_every_field_of_an_envelope_is_read() -> None:
    answer = parsed(
        {
            "query": "How long?",
            "answer": " 3 days\n",
            "facts": [
                "Plain.",
                {"text": "Full.", "uri": "u", "title": "t", "attributes": {"author": "A"}},
            ],
            "id": "1",
            "time": "2026-03-02T08:00:00Z",
            "engine": "shop",
            "session": "s1",
        }
    )
    assert answer.query == "How long?"
    assert answer.answer_text == " 3 days\n"
    assert answer.facts == (
        Fact(text="Plain."),
        Fact(text="Full.", uri="u", title="t", attributes={"author": "A"}),
    )
    assert answer.event_time_us == 1_772_438_400_000_000
    assert (answer.engine, answer.session, answer.tags) == ("shop", "s1", ())


@pytest.mark.parametrize(
    ("given", "query"),
    [
        ({"question": "How long?"}, "How long?"),
        ({"query": "How long?", "question": "Other?"}, "How long?"),
        ({"query": "", "question": "How long?"}, "How long?"),
        ({"question": {"text": "How long?"}}, None),
    ],
    ids=["question", "both", "empty query", "no text"],
)
def test_the_question_of_an_envelope_has_two_names(
    given: dict[str, object], query: str | None
) -> None:
    assert parsed({"answer": "3 days", "facts": ["3 days."]} | given).query == query


@pytest.mark.parametrize("suffix", ["", "_id"])
def test_the_trace_of_an_envelope_is_kept_and_changes_no_record_id(suffix: str) -> None:
    plain = {"answer": "a", "facts": ["b"]}
    ids = {f"{name}{suffix}": f"{name}-1" for name in ("trace", "span", "response")}
    for given in (plain, plain | {"id": "1"}):
        answer = parsed(given | ids)
        assert (answer.trace_id, answer.span_id, answer.response_id) == (
            *("trace-1", "span-1"),
            "response-1",
        )
        assert answer.record_id == parsed(given).record_id


@pytest.mark.parametrize(
    "facts",
    [None, [], [""], [" "], [{"title": "t", "uri": "u"}], [{"text": "\n", "title": "t"}]],
    ids=["absent", "none", "empty", "white space", "no text", "white space text"],
)
def test_a_fact_without_text_is_dropped(facts: list[object] | None) -> None:
    assert parsed({"answer": "a", "facts": facts}).facts == ()


@pytest.mark.parametrize(
    ("facts", "texts"),
    [
        ("Lamps glow.", ["Lamps glow."]),
        ("[1] Lamps glow.", ["[1] Lamps glow."]),
        ({"text": "Lamps glow."}, ["Lamps glow."]),
        ('{"page_content": "Lamps glow."}', ["Lamps glow."]),
        ('["Lamps glow.", "At night."]', ["Lamps glow.", "At night."]),
        ("['Lamps glow.', 'At night.']", ["Lamps glow.", "At night."]),
        ("", []),
        (" ", []),
        ({}, []),
    ],
)
def test_a_single_fact_needs_no_list(facts: object, texts: list[str]) -> None:
    assert [fact.text for fact in parsed({"answer": "a", "facts": facts}).facts] == texts


def test_a_cell_that_pandas_writes_for_nothing_is_no_fact() -> None:
    with pytest.raises(UnmappedFields):
        parsed({"answer": "a", "facts": "nan"})


@pytest.mark.parametrize("facts", ['["Lamps glow.", "At', '[{"text": "Lamps', "['Lamps'"])
def test_a_list_that_is_cut_off_is_no_fact(facts: str) -> None:
    with pytest.raises(UnreadableAnswer, match="facts is a text that begins like a list"):
        parsed({"answer": "a", "facts": facts})


@pytest.mark.parametrize(
    "name", ["content", "page_content", "pageContent", "factText", "snippet", "chunk_text"]
)
def test_the_text_of_a_fact_may_have_the_name_that_a_tool_gives_it(name: str) -> None:
    given = {name: "Lamps glow.", "metadata": {"source": "u", "title": "t"}}
    [first, second] = parsed({"answer": "a", "facts": ["Other.", given]}).facts
    assert (first.text, second.text) == ("Other.", "Lamps glow.")
    assert (second.uri, second.title) == ("u", "t")


def test_attributes_other_than_strings_are_rendered_as_json() -> None:
    attributes = {"page": 4, "draft": True, "tags": ["a", "b"], "none": None, "snake_case": "kept"}
    fact = {"text": "t", "attributes": attributes}
    assert parsed({"answer": "a", "facts": [fact]}).facts[0].attributes == {
        "page": "4",
        "draft": "true",
        "tags": "a, b",
        "snake_case": "kept",
    }


def test_a_time_that_does_not_parse_is_absent_and_tagged() -> None:
    answer = parsed({"answer": "a", "time": "yesterday"})
    assert (answer.event_time_us, answer.tags) == (None, ("BAD_TIMESTAMP",))


@pytest.mark.parametrize(
    ("written", "name"),
    [(7, "7"), (0, "0"), (7.0, "7"), (10**25, "1" + "0" * 25), ("7", "7")],
    ids=str,
)
def test_an_id_may_be_a_number(written: object, name: str) -> None:
    answer = parsed({"answer": "a", "id": written, "session": written, "engine": written})
    assert (answer.answer_name, answer.session, answer.engine) == (name, name, name)
    assert answer.record_id == parsed({"answer": "a", "id": name}).record_id


EIGHT = 1_772_438_400_000_000


@pytest.mark.parametrize(
    ("written", "time_us"),
    [
        (1_772_438_400, EIGHT),
        (1_772_438_400.1, EIGHT + 100_000),
        (1_772_438_400_000, EIGHT),
        (1_772_438_400_000.5, EIGHT + 500),
        (1_772_438_400_000_000, EIGHT),
        ("1772438400", EIGHT),
        ("1772438400.1234567", EIGHT + 123_456),
        ("1772438400.9999999", EIGHT + 999_999),
        (-1_772_438_400, -EIGHT),
        (-0.0000001, -1),
    ],
    ids=str,
)
def test_a_time_may_be_seconds_milliseconds_or_microseconds_since_1970(
    written: object, time_us: int
) -> None:
    answer = parsed({"answer": "a", "time": written})
    assert (answer.event_time_us, answer.tags) == (time_us, ())


@pytest.mark.parametrize("written", [10**17, 10**300, -(10**17), "20260302", "2026", "1e9"])
def test_a_number_that_is_not_a_time_is_tagged(written: object) -> None:
    answer = parsed({"answer": "a", "time": written})
    assert (answer.event_time_us, answer.tags) == (None, ("BAD_TIMESTAMP",))


def test_the_attributes_time_may_be_a_number_too() -> None:
    assert parsed({"answer": "a"}, event_time="1772438400000").event_time_us == EIGHT


def test_an_engine_may_be_a_resource_name() -> None:
    assert parsed({"answer": "a", "engine": "projects/1/engines/shop"}).engine == "shop"
