"""Texts that differ in their spelling alone, and JSON as the texts in it."""

# ruff: noqa: RUF001 - the signs of several scripts are this test's data

import json
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.schemas.wire.grounding_check import CheckRequest, GroundingFact
from groundwatch.transforms.lexical.check_claims import check_grounding
from groundwatch.transforms.lexical.reading.same_text import in_one_spelling, texts_in_json

SPELLINGS = {
    "decomposed letters": (normalize("NFD", "Gäste, Börse"), "Gäste, Börse"),
    "decomposed syllables": (normalize("NFD", "환불은"), "환불은"),
    "ligatures of a PDF": ("the \ufb01rst o\ufb03ce", "the first office"),
    "full-width signs": ("Ｐａｙ　１，２００", "Pay 1,200"),
    "half-width letters": ("ｶﾞｲﾄﾞ", "ガイド"),
    "soft hyphens": ("war\u00adran\u00adty", "warranty"),
    "joiners and marks of direction": ("\u200fa\u200bb\u200dc\ufeff\u2060", "abc"),
    "a space that does not break": ("14\u00a0days", "14 days"),
    "units": ("3㎞, 20㎡, 30℃", "3km, 20m2, 30°C"),
    "raised digits and fractions": ("10² m³, 2½ cups", "10² m³, 2½ cups"),
    "a trademark": ("Kiln™ and Oven℠", "Kiln™ and Oven℠"),
    "ends of sentences": ("はい！どうぞ？（無料）", "はい！どうぞ？（無料）"),
    "commas of East Asia": ("无，有：多；少…", "无，有：多；少…"),
    "numbers in a list": ("拨打95500，45天后", "拨打95500，45天后"),
    "full-width numbers in a list": ("９５５００，４５天：1", "95500，45天：1"),
    "a time in full-width digits": ("１０：３０", "10:30"),
}


@pytest.mark.parametrize(("text", "expected"), SPELLINGS.values(), ids=SPELLINGS)
def test_spellings_of_a_text_are_one(text: str, expected: str) -> None:
    assert in_one_spelling(text) == expected
    assert in_one_spelling(expected) == expected


def test_as_many_accents_as_a_word_has_stay() -> None:
    assert in_one_spelling("a\u0301\u0323" * 99) == "\u1ea1\u0301" * 99


@given(st.text(max_size=40))
def test_forms_of_unicode_are_one_spelling(text: str) -> None:
    once = in_one_spelling(text)
    assert in_one_spelling(once) == once
    assert in_one_spelling(normalize("NFC", text)) == in_one_spelling(normalize("NFD", text))


TEXT = "Gäste zahlen 12 €."
IN_JSON = {
    "an object": ({"info": TEXT, "days": 14}, f"info: {TEXT}\ndays: 14"),
    "objects": ([{"a": "x", "b": True}, {"a": "y", "b": None}], "a: x\nb: true\n\na: y"),
    "texts": (["One.", "Two."], "One.\nTwo."),
    "a list under a name": ({"rules": ["One.", "Two."]}, "rules: One.\nTwo."),
    "blocks of content": (
        {"content": [{"type": "text", "text": TEXT}], "isError": False},
        f"type: text\ntext: {TEXT}\nisError: false",
    ),
    "JSON in JSON": ({"result": json.dumps({"text": TEXT})}, f"result: text: {TEXT}"),
    "lines": ({"body": "One.\nTwo."}, "body: One.\nTwo."),
    "numbers as they are written": ([1.50, 1_000_000, -2], "1.5\n1000000\n-2"),
}


@pytest.mark.parametrize(("value", "expected"), IN_JSON.values(), ids=IN_JSON)
@pytest.mark.parametrize("is_ascii", [True, False])
def test_the_texts_in_json_are_compared(value: object, expected: str, *, is_ascii: bool) -> None:
    assert texts_in_json(json.dumps(value, ensure_ascii=is_ascii)) == expected
    assert texts_in_json(f"\n {json.dumps(value, indent=2)}") == expected


ESCAPED = json.dumps({"a": TEXT, "b": 'He said "no".\nThen: yes.'})
WITHOUT_ESCAPES = f'{{"a": "{TEXT}", "b": "He said "no".\nThen: yes."}}'
CONTAINING = {
    "behind words": (f"The tool says: {ESCAPED}", f"The tool says: {WITHOUT_ESCAPES}"),
    "lines of JSON": (f"{ESCAPED}\n{ESCAPED}", f"{WITHOUT_ESCAPES}\n{WITHOUT_ESCAPES}"),
    "cut off": (ESCAPED[:-12], WITHOUT_ESCAPES[:-12]),
    "cut off in an escape": ('{"a": "G\\u00e4ste\\', '{"a": "Gäste\\'),
    "a text alone": (json.dumps(TEXT), f'"{TEXT}"'),
}


@pytest.mark.parametrize(("text", "expected"), CONTAINING.values(), ids=CONTAINING)
def test_escapes_are_replaced_in_a_text_that_contains_json(text: str, expected: str) -> None:
    assert texts_in_json(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Lamps glow.",
        "[1] Lamps glow, [2] kettles vote.",
        "[A link](https://x.example) to {name}",
        'Set the path: "C:\\temp" or "\\\\server\\new", then restart.',
        '"C:\\temp" is the folder, "\\n" is the end.',
        "{}",
        "[null, {}]",
        '{"a": "\\x"}',
        '{"a": "x" "b": "\\d+"}',
    ],
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert texts_in_json(text) == text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner),
)


@given(JSON, st.integers(0, 60))
def test_json_becomes_no_longer_and_escapes_do_not_matter(value: object, cut: int) -> None:
    dumped, escaped = json.dumps(value, ensure_ascii=False), json.dumps(value)
    texts = texts_in_json(dumped)
    assert len(texts) <= len(dumped)
    if texts != dumped:
        assert texts_in_json(escaped) == texts
    assert len(texts_in_json(escaped[:cut])) <= cut


VERBATIM = {
    "JSON with escapes": (json.dumps({"info": TEXT}), TEXT),
    "a decomposed fact": (normalize("NFD", TEXT), TEXT),
    "a decomposed answer": (TEXT, normalize("NFD", TEXT)),
    "ligatures": ("The \ufb01rst o\ufb03ce is open.", "The first office is open."),
    "signs without width": (
        "The war\u00adranty lasts two\u200b years.",
        "The warranty lasts two years.",
    ),
    "an answer with them": (
        "The warranty lasts two years.",
        "The war\u00adranty lasts two years\u200b.",
    ),
    "full-width digits": ("料金は１２００円です。", "料金は1200円です。"),
}


@pytest.mark.parametrize(("fact", "answer"), VERBATIM.values(), ids=VERBATIM)
def test_an_answer_that_repeats_its_fact_is_supported(fact: str, answer: str) -> None:
    request = CheckRequest(answer_candidate=answer, facts=(GroundingFact(fact_text=fact),))
    reply = check_grounding(request)
    assert (reply.support_score or 0) > 0.9
    [claim] = reply.claims
    assert answer.encode()[claim.start_pos : claim.end_pos].decode() == claim.claim_text == answer
    [chunk] = reply.cited_chunks
    assert chunk.chunk_text == fact
