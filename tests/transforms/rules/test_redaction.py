"""What is left of a record without its texts."""

import hashlib

import pytest

from groundwatch.schemas.answer import Fact
from groundwatch.schemas.checked_answer import Contradiction
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.transforms.rules.redaction import TextMode, is_hashed, redact
from tests.support.avro_rows import enriched_to_avro
from tests.support.builders import a_check, a_claim, an_enriched

SECRET = an_enriched(
    query="SECRET query",
    answer_text="SECRET answer.",
    claims=(a_claim("SECRET answer.", 0, score=0.5), a_claim("SECRET", 3)),
    facts=(
        Fact(
            text="SECRET fact",
            uri="https://shop.example/1",
            title="SECRET title",
            document="documents/1",
            attributes={"SECRET name": "SECRET value"},
        ),
        Fact(text="SECRET fact without a title"),
    ),
    mismatches=(
        Contradiction(claim=0, kind="NAME", claim_value="SECRET", fact_value="SECRET fact", fact=0),
        Contradiction(claim=1, kind="NAME", claim_value="SECRET"),
    ),
    check=a_check(unknown_members=('{"antiCitations": ["SECRET"]}',)),
)


def hashed(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def test_in_full_a_record_is_as_it_was() -> None:
    assert redact(SECRET, TextMode.FULL) == SECRET


@pytest.mark.parametrize("mode", [TextMode.NONE, TextMode.HASH])
def test_no_word_is_left_anywhere_in_the_row(mode: TextMode) -> None:
    assert "SECRET" in repr(enriched_to_avro(SECRET))
    assert "SECRET" not in repr(enriched_to_avro(redact(SECRET, mode)))


@pytest.mark.parametrize("mode", [TextMode.NONE, TextMode.HASH])
def test_fields_that_are_not_text_stay(mode: TextMode) -> None:
    redacted = redact(SECRET, mode)
    texts = {"query", "answer_text", "claims", "facts", "mismatches", "check"}
    for name in set(EnrichedAnswer.__struct_fields__) - texts:
        assert getattr(redacted, name) == getattr(SECRET, name)
    assert [(c.start, c.end, c.score, c.citations) for c in redacted.claims] == [
        (c.start, c.end, c.score, c.citations) for c in SECRET.claims
    ]
    assert redacted.check == a_check()
    assert [(m.claim, m.kind, m.fact) for m in redacted.mismatches] == [
        (0, "NAME", 0),
        (1, "NAME", None),
    ]
    assert [fact.attributes for fact in redacted.facts] == [{}, {}]
    assert [(fact.uri, fact.document) for fact in redacted.facts] == [
        ("https://shop.example/1", "documents/1"),
        (None, None),
    ]


def test_without_texts_their_places_are_empty() -> None:
    redacted = redact(SECRET, TextMode.NONE)
    assert (redacted.query, redacted.answer_text) == ("", "")
    assert {claim.text for claim in redacted.claims} == {""}
    assert [(fact.text, fact.title) for fact in redacted.facts] == [("", ""), ("", None)]
    assert [(m.claim_value, m.fact_value) for m in redacted.mismatches] == [("", ""), ("", None)]


def test_as_hashes_equal_texts_stay_equal() -> None:
    redacted = redact(SECRET, TextMode.HASH)
    assert redacted.query == hashed("SECRET query")
    assert redacted.answer_text == redacted.claims[0].text == hashed("SECRET answer.")
    assert [fact.text for fact in redacted.facts] == [
        hashed("SECRET fact"),
        hashed("SECRET fact without a title"),
    ]
    assert [(m.claim_value, m.fact_value) for m in redacted.mismatches] == [
        (hashed("SECRET"), hashed("SECRET fact")),
        (hashed("SECRET"), None),
    ]


@pytest.mark.parametrize("mode", TextMode)
def test_what_was_absent_stays_absent(mode: TextMode) -> None:
    bare = an_enriched(query=None, answer_text="", claims=(), facts=(Fact(text="x"),), check=None)
    redacted = redact(bare, mode)
    assert (redacted.query, redacted.facts[0].title) == (None, None)
    assert redacted.answer_text == ""
    assert redacted.check is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (hashed("SECRET"), True),
        (hashed("SECRET").upper(), False),
        (hashed("SECRET") + " and more", False),
        ("sha256:5f", False),
        ("", False),
    ],
    ids=["a hash", "in capitals", "within a text", "too short", "empty"],
)
def test_a_hash_is_known_from_a_text(text: str, expected: bool) -> None:
    assert is_hashed(text) is expected
