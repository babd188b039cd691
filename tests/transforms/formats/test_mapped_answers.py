"""Read answers by the user's own field map."""

import re
from typing import Any

import pytest

from groundwatch.schemas.answer import Answer, Fact
from groundwatch.schemas.message import ParseOptions, UnmappedFields, UnreadableAnswer
from groundwatch.schemas.verdict import Tag
from groundwatch.transforms.formats.field_maps.field_map import FIELDS, parse_map
from groundwatch.transforms.formats.parser import ParseFailure, parse_answers, unread_texts
from tests.support.answer_messages import ANSWER_NAME, chunk_reference, message_of, parsed
from tests.transforms.formats.field_maps.test_presets import SHAPES

ROW = {
    "asked": "Who feeds the cat?",
    "said": "Ada feeds the cat.",
    "found": [{"chunk": "Ada feeds the cat at noon.", "url": "cat.md"}, {"chunk": "Bo naps."}],
    "meta": {
        "key": 7,
        "at": "2026-03-03T12:00:00Z",
        "bot": "pets",
        "chat": "c1",
        "ids": ["t", "s"],
        "why": "length",
    },
}
WHOLE_MAP = (
    ("query", "$.asked"),
    ("answer", "$.said"),
    ("facts", "$.found[*].chunk"),
    ("document", "$.meta.chat"),
    ("id", "$.meta.key"),
    ("time", "$.meta.at"),
    ("engine", "$.meta.bot"),
    ("session", "$.meta.chat"),
    ("trace", "$.meta.ids[0]"),
    ("span", "$.meta.ids[1]"),
    ("response", "$.meta.none"),
    ("response", "$.meta.key"),
    ("refusal", "$.meta.none"),
    ("error", "$.meta.none"),
    ("finish_reason", "$.meta.why"),
)
FACTS_MAP = (("facts", "$.found[*].chunk"),)
SAID_LONG = "Ada feeds the cat at noon, as everybody in the house knows."


def read_all(value: object, own_map: tuple[tuple[str, str], ...]) -> list[Answer | ParseFailure]:
    return list(parse_answers(message_of(value), ParseOptions(own_map=own_map)))


def read(value: object, own_map: tuple[tuple[str, str], ...]) -> Answer:
    [answer] = read_all(value, own_map)
    if isinstance(answer, ParseFailure):
        raise answer.error
    return answer


def test_a_map_reads_every_field() -> None:
    answer = read(ROW, WHOLE_MAP)
    assert answer.source_format == "field_map.custom"
    assert (answer.query, answer.answer_text) == (ROW["asked"], ROW["said"])
    assert [fact.text for fact in answer.facts] == ["Ada feeds the cat at noon.", "Bo naps."]
    assert (answer.answer_name, answer.engine, answer.session) == ("7", "pets", "c1")
    assert (answer.trace_id, answer.span_id, answer.response_id) == ("t", "s", "7")
    assert answer.event_time_us == 1_772_539_200_000_000
    assert answer.finish_reason == "MAX_TOKENS"
    assert {field for field, _ in WHOLE_MAP} == {*FIELDS}


@pytest.mark.parametrize(
    ("documents", "named"),
    [
        ("$.meta.chat", ["c1", "c1"]),
        ("$.meta.ids[*]", ["t", "s"]),
        ("$.found[*].url", ["cat.md", "cat.md"]),
        ("$.none", [None, None]),
    ],
)
def test_a_mapped_document_names_the_source_of_facts(
    documents: str, named: list[str | None]
) -> None:
    answer = read(ROW, (("answer", "$.said"), *FACTS_MAP, ("document", documents)))
    assert [fact.document for fact in answer.facts] == named


PASSAGES = {"said": "a.", "p_1": "b.", "p_1_title": "B", "p_2": "c.", "title_2": "C", "p_10": "d."}
COLUMNS = {
    "one column has a title": (("$.p_1_title",), ["B", None, None]),
    "its number names the column": (("$.title_2",), [None, "C", None]),
    "two columns have titles": (("$.p_1_title", "$.title_2"), ["B", "C", None]),
    "one title of all": (("$.said",), ["a."] * 3),
}


@pytest.mark.parametrize(("documents", "named"), COLUMNS.values(), ids=COLUMNS)
def test_a_document_of_a_column_names_its_fact_alone(
    documents: tuple[str, ...], named: list[str | None]
) -> None:
    facts = tuple(("facts", f"$.p_{number}") for number in (1, 2, 10))
    own_map = (("answer", "$.said"), *facts, *(("document", path) for path in documents))
    assert [fact.document for fact in read(PASSAGES, own_map).facts] == named


def test_a_fact_that_names_its_document_keeps_it() -> None:
    row = {"said": "a.", "found": [{"text": "b.", "doc_id": "own"}, {"text": "c."}], "of": "all"}
    own_map = (("answer", "$.said"), ("facts", "$.found[*]"), ("document", "$.of"))
    assert [fact.document for fact in read(row, own_map).facts] == ["own", "all"]


def test_a_map_corrects_a_known_format_and_keeps_its_other_fields() -> None:
    envelope = {"answer": "Ada feeds the cat.", "id": "e1", "found": ROW["found"]}
    answer = read(envelope, FACTS_MAP)
    assert (answer.source_format, answer.answer_name) == ("groundwatch.envelope", "e1")
    assert len(answer.facts) == 2


def test_citations_of_replaced_facts_are_dropped() -> None:
    citations = [{"startIndex": "0", "endIndex": "3", "sources": [{"referenceId": "0"}]}]
    resource = {
        "name": ANSWER_NAME,
        "state": "SUCCEEDED",
        "answerText": "Ada feeds the cat.",
        "citations": citations,
        "references": [chunk_reference("Another.")],
        "found": ROW["found"],
    }
    assert len(parsed(resource).citations) == 1
    answer = read(resource, FACTS_MAP)
    assert (answer.citations, answer.answer_name) == ((), ANSWER_NAME)
    assert answer.facts[0] == Fact(text="Ada feeds the cat at noon.")


def test_a_map_adds_to_a_preset() -> None:
    docs = {"docs": ["Ada feeds the cat at noon."]}
    trace = SHAPES["langfuse.trace"].row | {"output": "Ada feeds the cat.", "metadata": docs}
    with pytest.raises(UnmappedFields, match=r"metadata.*facts=\$\.metadata\.docs\[\*\]"):
        parsed(trace)
    answer = read(trace, (("facts", "$.metadata.docs[*]"),))
    assert (answer.source_format, answer.answer_name) == ("langfuse.trace", "trace-1")
    assert len(answer.facts) == 1


ENTRY = {
    "insertId": "i1",
    "logName": "projects/p/logs/chat",
    "timestamp": "2026-03-03T12:00:00Z",
    "labels": {"chat": "c2", "source": "cat.md"},
    "jsonPayload": ROW,
}


@pytest.mark.parametrize("found", ["$.found[*].chunk", "$.jsonPayload.found[*].chunk"])
@pytest.mark.parametrize("said", ["$.said", "$.jsonPayload.said"])
def test_each_path_of_a_map_begins_at_what_a_carrier_holds_or_at_the_whole_of_it(
    said: str, found: str
) -> None:
    of_whole = (("session", "$.labels.chat"), ("document", "$.labels.source"))
    answer = read(ENTRY, (("answer", said), ("facts", found), *of_whole))
    assert (answer.answer_text, answer.session) == (ROW["said"], "c2")
    assert [fact.document for fact in answer.facts] == ["cat.md"] * 2
    assert answer.event_time_us == 1_772_539_200_000_000


@pytest.mark.parametrize("steps", ["$.", "$.jsonPayload."])
@pytest.mark.parametrize("found", [{}, {"found": []}, {"found": None}, {"docs": [SAID_LONG]}])
def test_a_map_of_the_whole_message_finds_no_facts_where_there_are_none(
    steps: str, found: dict[str, Any]
) -> None:
    said = {"to_whom": {"said": SAID_LONG + " Twice.", "is_new": True} | found}
    own_map = (("answer", f"{steps}toWhom.said"), ("facts", f"{steps}to_whom.found[*]"))
    entry = ENTRY | {"jsonPayload": said}
    if "docs" in found:
        with pytest.raises(UnmappedFields, match=r"not read: toWhom\.docs\."):
            read(entry, own_map)
    else:
        answer = read(entry, own_map)
        assert (answer.answer_text, answer.facts) == (SAID_LONG + " Twice.", ())


def test_each_element_of_an_array_is_an_answer_of_its_own() -> None:
    answers = read_all([ROW | {"said": "One."}, ROW | {"said": "Two."}, {"other": 1}], WHOLE_MAP)
    texts = [each.answer_text for each in answers if isinstance(each, Answer)]
    assert (texts, len(answers)) == (["One.", "Two."], 3)


FAILURES: dict[str, tuple[Any, str]] = {
    "no answer at the path": ({"asked": "Who?", "told": "Ada."}, "not recognised"),
    "no text at the path": (ROW | {"said": {"text": "Ada."}}, r"answer at \$\.said is an object"),
    "facts at another path": (ROW | {"found": None, "docs": ["Ada feeds."]}, "docs"),
}


@pytest.mark.parametrize(("value", "words"), FAILURES.values(), ids=FAILURES)
def test_what_a_map_does_not_find_is_a_failure(value: object, words: str) -> None:
    with pytest.raises(UnreadableAnswer, match=words):
        read(value, WHOLE_MAP)


OTHER = "An earlier text of the answer, which nobody was shown that day."
ONE_ANSWER = (("answer", "$.said"), ("facts", "$.found"))
SAID: dict[str, Any] = {"said": SAID_LONG}
BESIDE: dict[str, tuple[dict[str, Any], tuple[tuple[str, str], ...], str]] = {
    "a response": (SAID | {"response": OTHER}, ONE_ANSWER, ""),
    "an object with its text": (SAID | {"output": {"text": OTHER}}, ONE_ANSWER, ""),
    "the answer of a format": (SAID | {"answer": OTHER}, ONE_ANSWER, ""),
    "that of a preset": (SAID | {"user_input": "Who?", "response": OTHER}, ONE_ANSWER, ""),
    "at another place of a preset": (
        SHAPES["langfuse.trace"].row
        | {"metadata": SAID, "output": {"choices": [{"message": {"content": OTHER}}]}},
        (("answer", "$.metadata.said"), ("facts", "$.found")),
        "",
    ),
    "without a map": ({"answer": OTHER, "output": SAID["said"]}, (), ""),
    "of a tool": (SAID | {"tool_output": OTHER}, ONE_ANSWER, "tool_output"),
    "documents": (SAID | {"output": {"documents": [OTHER]}}, ONE_ANSWER, "output"),
    "a list": (SAID | {"output": [OTHER, OTHER]}, ONE_ANSWER, "output"),
    "beside facts": (SAID | {"answer": OTHER, "excerpts": [OTHER]}, ONE_ANSWER, "excerpts"),
    "no text at the path": ({"said": "", "response": OTHER}, ONE_ANSWER, "response"),
}


@pytest.mark.parametrize(("value", "own_map", "unread"), BESIDE.values(), ids=BESIDE)
def test_a_text_named_as_the_answer_is_no_fact_beside_another(
    value: dict[str, Any], own_map: tuple[tuple[str, str], ...], unread: str
) -> None:
    [found] = read_all(value, own_map)
    if isinstance(found, ParseFailure):
        named = re.findall(r"(?:not read|these fields): ([^ ]+)\.", str(found.error))
        assert named == [unread]
    else:
        options = ParseOptions(own_map=own_map)
        assert (unread, found.facts, unread_texts(found.message, options)) == ("", (), [])


def test_empty_facts_at_the_path_are_no_facts() -> None:
    assert read(ROW | {"found": []}, WHOLE_MAP).facts == ()


@pytest.mark.parametrize("path", ["$.my_docs[*]", "$.myDocs[*]"])
def test_facts_that_are_null_are_empty_in_either_letter_case(path: str) -> None:
    row = {"said": SAID_LONG, "my_docs": None, "other": [SAID_LONG]}
    assert read(row, (("answer", "$.said"), ("facts", path))).facts == ()


def test_a_bad_time_is_tagged() -> None:
    answer = read(ROW | {"meta": {"at": "noon"}}, WHOLE_MAP)
    assert (answer.event_time_us, answer.tags) == (None, (Tag.BAD_TIMESTAMP,))


def test_a_map_of_another_field_is_refused() -> None:
    with pytest.raises(ValueError, match=r"is not one of"):
        parse_map((("reply", "$.a"),))
