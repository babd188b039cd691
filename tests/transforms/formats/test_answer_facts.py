"""Facts, citations and supports of Discovery Engine's answers."""

import pytest

from groundwatch.schemas.answer import Fact
from tests.support.answer_messages import chunk_reference, message_of, parse_answer, parsed

TEXT = "Größe 😀b"  # in bytes: G0 r1 ö2 ß4 e6 space7 😀8 b12, 13 in all


def facts_of(*references: dict[str, object]) -> tuple[Fact, ...]:
    return parsed({"answerText": "a", "references": references}).facts


def test_the_same_text_is_one_fact_with_its_first_source() -> None:
    record = {"structuredDocumentInfo": {"structData": {"term": "3 days"}}}
    facts = facts_of(
        chunk_reference("term: 3 days", uri="first"),
        chunk_reference("term: 3 days", uri="second"),
        record,
    )
    assert facts == (Fact(text="term: 3 days", uri="first"),)


@pytest.mark.parametrize(
    "reference",
    [
        chunk_reference("", title="t", uri="u"),
        chunk_reference(" \n\t\u3000", title="t"),
        {"unstructuredDocumentInfo": {"title": "t", "structData": {"a": "b"}}},
        {"structuredDocumentInfo": {"title": "t", "structData": {"a": None, "b": []}}},
        {},
    ],
    ids=["empty", "white space", "no passage", "no values", "nothing"],
)
def test_a_reference_without_text_gives_no_fact(reference: dict[str, object]) -> None:
    assert facts_of(reference) == ()


def test_a_text_stays_unchanged() -> None:
    assert facts_of(chunk_reference(" two  spaces\r\n"))[0].text == " two  spaces\r\n"


RENDERED = {
    "scalars": ({"a": "b", "n": 3, "f": 2.5, "yes": True}, "a: b\nn: 3\nf: 2.5\nyes: true"),
    "whole float": ({"n": 3.0}, "n: 3"),
    "nested": ({"a": {"b": {"c": "d"}}}, "a.b.c: d"),
    "list": ({"a": ["x", 1, False, None]}, "a: x, 1, false"),
    "list of objects": ({"a": [{"b": 1}, {"b": 2}]}, "a.b: 1\na.b: 2"),
    "list of lists": ({"a": [["x", "y"], ["z"]]}, "a: x, y\na: z"),
    "user's own keys": ({"snake_key": {"Other_Key": "v"}}, "snake_key.Other_Key: v"),
    "order of the message": ({"z": 1, "a": 2}, "z: 1\na: 2"),
    "not ASCII": ({"größe": "😀"}, "größe: 😀"),
}


@pytest.mark.parametrize(("struct", "text"), RENDERED.values(), ids=RENDERED)
def test_structured_data_is_rendered_as_lines(struct: dict[str, object], text: str) -> None:
    assert facts_of({"structuredDocumentInfo": {"structData": struct}})[0].text == text


def answer_with(citation: dict[str, object]) -> dict[str, object]:
    references = [
        chunk_reference("One."),
        {
            "unstructuredDocumentInfo": {
                "chunkContents": [{"content": "Two."}, {"content": "Three."}]
            }
        },
        chunk_reference("One."),
        chunk_reference(""),
    ]
    return {"answerText": TEXT, "references": references, "citations": [citation]}


@pytest.mark.parametrize(
    ("ids", "facts"),
    [
        (["1"], (1, 2)),
        (["2", "0"], (0,)),
        (["1", "0"], (1, 2, 0)),
        (["00"], (0,)),
        # Without a text, beyond the last one, and none of a reference's.
        *(([reference_id], ()) for reference_id in ("3", "4", "-1", "one", "", "9" * 5000, "٣")),
    ],
)
def test_a_citation_refers_to_all_facts_of_its_references(
    ids: list[str], facts: tuple[int, ...]
) -> None:
    sources = [{"referenceId": reference_id} for reference_id in ids]
    answer = parsed(answer_with({"endIndex": 6, "sources": sources}))
    assert [citation.facts for citation in answer.citations] == [facts]
    assert answer.tags == ()


OFFSETS = {
    "whole": ({"endIndex": 13}, True),
    "as strings": ({"startIndex": "2", "endIndex": "4"}, True),
    "whole floats": ({"startIndex": 2.0, "endIndex": 4.0}, True),
    "empty at the end": ({"startIndex": 13, "endIndex": 13}, True),
    "beyond the answer": ({"endIndex": 14}, False),
    "start after end": ({"startIndex": 2, "endIndex": 1}, False),
    "negative": ({"startIndex": -1, "endIndex": 1}, False),
    "start within a character": ({"startIndex": 3, "endIndex": 6}, False),
    "end within a character": ({"startIndex": 0, "endIndex": 10}, False),
    "no number": ({"startIndex": "first", "endIndex": 1}, False),
    "fraction": ({"startIndex": 0.5, "endIndex": 1}, False),
    "truth": ({"startIndex": True, "endIndex": 1}, False),
    "huge": ({"startIndex": 0, "endIndex": "9" * 30}, False),
}


@pytest.mark.parametrize("field", ["citations", "groundingSupports"])
@pytest.mark.parametrize(("offsets", "fits"), OFFSETS.values(), ids=OFFSETS)
def test_offsets_that_do_not_fit_are_dropped_with_a_tag(
    field: str, offsets: dict[str, object], fits: bool
) -> None:
    good = {"startIndex": 0, "endIndex": 1}
    answer = parsed({"answerText": TEXT, field: [offsets, good]})
    kept = answer.citations or answer.supports
    assert len(kept) == (2 if fits else 1)
    assert answer.tags == (() if fits else ("BAD_OFFSETS",))


@pytest.mark.parametrize("offset", ["1e400", "9" * 5000], ids=["1e400", "5000 digits"])
def test_an_offset_out_of_range_is_dropped_with_a_tag(offset: str) -> None:
    payload = b'{"answerText": "a", "citations": [{"endIndex": %b}]}' % offset.encode()
    answer = parse_answer(message_of(payload))
    assert (answer.citations, answer.tags) == ((), ("BAD_OFFSETS",))
