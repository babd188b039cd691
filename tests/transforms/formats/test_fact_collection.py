"""Small messages with large facts: a source is kept with each of its passages."""

from typing import Any

import pytest

from groundwatch.schemas.message import UnreadableAnswer
from tests.support.answer_messages import message_of, parse_answer, parsed

LONG = "k" * 100_000


def document(title: str, passages: int) -> dict[str, Any]:
    contents = [{"content": f"Passage {number}."} for number in range(passages)]
    info = {"title": title, "chunkContents": contents}
    return {"answerText": "a", "references": [{"unstructuredDocumentInfo": info}]}


def struct(fields: Any) -> dict[str, Any]:
    info = {"structData": {LONG: fields}}
    return {"answerText": "a", "references": [{"structuredDocumentInfo": info}]}


def attributes(given: dict[str, Any]) -> dict[str, Any]:
    return {"answer": "a", "facts": [{"text": "f", "attributes": given}]}


FEW = dict.fromkeys("abcd", 1)
MANY = {str(number): number for number in range(300)}
SWELLING = {
    "a title for each passage": document(LONG, 300),
    "a key before each value": struct(MANY),
    "a key before each value of a list": struct([{"a": number} for number in range(300)]),
    "a key in one attribute": attributes({"a": {LONG: MANY}}),
    "keys in a list in an attribute": attributes({"a": [{LONG: FEW}] * 60}),
    "keys in many attributes": attributes({str(number): {LONG: FEW} for number in range(60)}),
}


@pytest.mark.parametrize("message", SWELLING.values(), ids=SWELLING)
def test_facts_beyond_the_limit_are_rejected(message: dict[str, Any]) -> None:
    with pytest.raises(UnreadableAnswer, match="over 20000000 characters"):
        parse_answer(message_of(message))


def test_keys_without_values_do_not_count() -> None:
    assert parsed(struct({str(number): "" for number in range(50_000)})).facts == ()


def test_a_title_may_repeat_with_every_passage_up_to_the_limit() -> None:
    facts = parsed(document(LONG, 199)).facts
    assert {fact.title for fact in facts} == {LONG}
    assert len(facts) == 199


def test_facts_as_long_as_the_longest_message_are_kept() -> None:
    contents = [{"content": f"{number} " + "x" * 99_000} for number in range(100)]
    references = [{"unstructuredDocumentInfo": {"title": "t" * 1000, "chunkContents": contents}}]
    facts = parsed({"answerText": "a", "references": references}).facts
    assert sum(len(fact.text) for fact in facts) > 9_900_000
