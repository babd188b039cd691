"""Read the words of texts and of claims."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.transforms.lexical.language.words import (
    TokenKind,
    form_of,
    read_tokens,
    read_words,
    spellings,
)


def forms_of(text: str) -> list[str]:
    return read_words(text).forms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Cat cats", ["cat", "cats"], id="lower case"),
        pytest.param("installation installed", ["instal", "instal"], id="six letters"),
        pytest.param("Anna's", ["anna"], id="possessive"),
        pytest.param("Anna\u2019s", ["anna"], id="curly possessive"),
        pytest.param("don\u2019t", ["don't"], id="curly contraction"),
        pytest.param("O'Connor", ["o", "connor"], id="an apostrophe before a long rest"),
        pytest.param("Été José", ["ete", "jose"], id="accents"),
        pytest.param("l'eau d'or dell'acqua", ["eau", "or", "dell", "acqua"], id="elisions"),
        pytest.param("वारंटी", ["वारंटी"], id="vowel signs"),
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
    assert [(token.form, token.kind) for token in read_tokens(word)] == [expected]


def test_a_spelling_too_long_to_remember_reads_the_same_each_time() -> None:
    assert forms_of("x" * 10_000) == forms_of("x" * 10_000) == ["xxxxxx"]


@given(st.text(st.sampled_from("ab\u00c9T 12,.'n \n\u6771%")))
def test_words_are_the_tokens_and_the_signs_of_a_text(text: str) -> None:
    words = read_words(text)
    tokens = [(token.form, token.kind) for token in read_tokens(text)]
    assert list(zip(words.forms, words.kinds, strict=True)) == tokens
    assert words.forms == forms_of(text)


@given(
    st.text() | st.text(alphabet="\u4e2d\u6587\ud55c\uad6d\u3042ab'1. \u3002\uff11", max_size=80)
)
def test_the_forms_of_a_long_text_are_those_of_its_tokens(text: str) -> None:
    assert list(map(form_of, spellings(text))) == forms_of(text)
