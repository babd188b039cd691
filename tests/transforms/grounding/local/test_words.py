"""Read the words of texts and of claims."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.contradictions.parsed_sentence import read_features
from transforms.grounding.local.words import (
    TokenKind,
    form_of,
    forms_of,
    read_claim,
    read_words,
    spellings,
    tokenize,
)
from transforms.rules.phrases import NUMBER_WORDS, STOP_WORDS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Cat cats", ["cat", "cats"], id="lower case"),
        pytest.param("installation installed", ["instal", "instal"], id="six letters"),
        pytest.param("Anna's", ["anna"], id="possessive"),
        pytest.param("Anna\u2019s", ["anna"], id="curly possessive"),
        pytest.param("don\u2019t", ["don't"], id="curly contraction"),
        pytest.param("O'Connor", ["o", "connor"], id="an apostrophe before a long rest"),
        pytest.param("Été", ["été"], id="accents"),
        pytest.param("$1,200.0", ["$", "1200"], id="amount"),
        pytest.param("12:30 1/2 3.14.", ["12:30", "1/2", "3.14"], id="inner marks of numbers"),
        pytest.param("50%", ["50", "%"], id="per cent"),
        pytest.param("twelve dozen half one", ["12", "12", "0.5", "one"], id="number words"),
        pytest.param("東京都", ["東", "京", "都"], id="han"),
        pytest.param("Москва", ["москва"], id="cyrillic"),
        pytest.param("3km", ["3", "km"], id="number and unit"),
        pytest.param("a_b", ["a", "b"], id="underscore"),
        pytest.param("!? \n", [], id="nothing"),
    ],
)
def test_a_text_is_read_into_normal_forms(text: str, expected: list[str]) -> None:
    assert forms_of(text) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        pytest.param("Paris", ("paris", TokenKind.NAME), id="name"),
        pytest.param("lamp", ("lamp", TokenKind.WORD), id="word"),
        pytest.param("Two", ("2", TokenKind.NUMBER), id="number word"),
        pytest.param("7", ("7", TokenKind.NUMBER), id="digit"),
        pytest.param("The", ("the", TokenKind.FUNCTION), id="stop word"),
        pytest.param("x", ("x", TokenKind.FUNCTION), id="letter"),
        pytest.param("%", ("%", TokenKind.FUNCTION), id="sign"),
        pytest.param("京", ("京", TokenKind.WORD), id="character of an unspaced script"),
    ],
)
def test_a_token_knows_its_kind(word: str, expected: tuple[str, TokenKind]) -> None:
    assert tokenize(word) == [expected]


def test_a_spelling_too_long_to_remember_reads_the_same_each_time() -> None:
    assert forms_of("x" * 10_000) == forms_of("x" * 10_000) == ["xxxxxx"]


def test_more_spellings_than_are_remembered_read_the_same() -> None:
    spellings = [f"w{number}x" for number in range(70_000)]
    assert [forms_of(spelling) for spelling in spellings[:9]] == [
        ["w", str(number), "x"] for number in range(9)
    ]
    assert len(forms_of(" ".join(spellings))) == 210_000
    assert forms_of("w1x") == ["w", "1", "x"]


def test_the_stop_words_are_as_many_as_were_measured_and_hold_negation() -> None:
    assert len(STOP_WORDS) == 173
    assert {"no", "not", "nor", "without"} <= STOP_WORDS


def test_one_is_a_pronoun_and_no_number_word() -> None:
    assert "one" not in NUMBER_WORDS


@given(st.text(st.sampled_from("ab\u00c9T 12,.'n \n\u6771%")))
def test_words_are_the_tokens_and_the_signs_of_a_text(text: str) -> None:
    words = read_words(text)
    assert list(zip(words.forms, words.kinds, strict=True)) == tokenize(text)
    assert words.forms == forms_of(text)
    assert words.features.kinds == read_features(text).kinds
    assert list(filter(None, words.features.capitals)) == list(
        filter(None, read_features(text).capitals)
    )


@given(
    st.text() | st.text(alphabet="\u4e2d\u6587\ud55c\uad6d\u3042ab'1. \u3002\uff11", max_size=80)
)
def test_the_forms_of_a_long_text_are_those_of_its_tokens(text: str) -> None:
    assert list(map(form_of, spellings(text))) == forms_of(text)


@pytest.mark.parametrize(
    "sentence",
    [
        pytest.param("Hi there, friend.", id="hi"),
        pytest.param("Hello!", id="hello"),
        pytest.param("Sure, the lamp is red.", id="sure"),
        pytest.param("Thank you for your patience.", id="thanks"),
        pytest.param("I hope this helps with the lamp.", id="hope"),
        pytest.param("Please let me know about further lamps.", id="offer"),
        pytest.param("I\u2019m sorry about the lamp.", id="apology"),
        pytest.param("As an AI, I own no lamp.", id="AI"),
        pytest.param("Here is what I found.", id="the service's example"),
        pytest.param("Here are three lamps:", id="announcement"),
        pytest.param("The lamps are:", id="colon"),
        pytest.param("**The lamps are:**", id="bold announcement"),
        pytest.param("*Hello!*", id="greeting in italics"),
        pytest.param("Is the lamp red?", id="question"),
        pytest.param("ランプは赤いですか\uff1f", id="japanese question"),
        pytest.param("The passages do not mention a lamp.", id="not mentioned"),
        pytest.param("The price is not provided in the given context.", id="not provided"),
        pytest.param(
            "Based on the given passages, it cannot be determined.", id="cannot be determined"
        ),
        pytest.param("There is no information about lamps in the text.", id="no information"),
        pytest.param("I am unable to answer from the given data.", id="unable"),
        pytest.param("It is what it is.", id="no content"),
        pytest.param("(Passage 2)", id="reference alone"),
        pytest.param("[1]", id="footnote alone"),
    ],
)
def test_no_check_is_required(sentence: str) -> None:
    assert read_claim(sentence) is None


@pytest.mark.parametrize(
    "sentence",
    [
        pytest.param("High humidity damages wood.", id="begins like hi"),
        pytest.param("Surely the lamp is red.", id="begins like sure"),
        pytest.param("Hi-fi sets cost more.", id="begins with hi and a hyphen"),
        pytest.param("The lamp does not include a bulb.", id="negation without a source"),
        pytest.param("The passage says the lamp is red.", id="source without a refusal"),
        pytest.param("The lamp is red: it glows.", id="colon inside"),
        pytest.param("2024.", id="number"),
    ],
)
def test_a_check_is_required(sentence: str) -> None:
    assert read_claim(sentence) is not None


@pytest.mark.parametrize(
    "sentence",
    [
        "However, based on the given passages, it appears that lamps glow red.",
        "The passage also states that lamps glow red.",
        "According to passage 2, lamps glow red.",
        "Lamps glow red (see source 3, 4).",
        "Lamps glow red [1].",
        "Lamps glow red (Passage 2).",
    ],
)
def test_talk_about_the_sources_is_not_scored(sentence: str) -> None:
    words = read_claim(sentence)
    assert words is not None
    assert words.content == ("lamps", "glow", "red")


def test_a_claim_is_read_into_what_it_is_scored_by() -> None:
    words = read_claim("Lamps of Acme cost 20 or twenty euros in Rome.")
    assert words is not None
    assert words.content == ("lamps", "acme", "cost", "20", "20", "euros", "rome")
    assert words.distinct == {"lamps", "acme", "cost", "20", "euros", "rome"}
    assert words.numbers == ["20", "20"]
    assert words.names == ["acme", "rome"]
    assert words.pairs[:3] == [("lamps", "of"), ("of", "acme"), ("acme", "cost")]
    assert len(words.pairs) == 9
