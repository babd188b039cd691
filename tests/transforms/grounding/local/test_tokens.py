import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.contradictions.parsed_sentence import read_features
from transforms.grounding.local.tokens import Kind, form_of, read_words, spellings, tokenize
from transforms.rules.english import NUMBER_WORDS, STOP_WORDS


def forms(text: str) -> list[str]:
    return [form for form, _ in tokenize(text)]


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
    assert forms(text) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        pytest.param("Paris", ("paris", Kind.NAME), id="name"),
        pytest.param("lamp", ("lamp", Kind.WORD), id="word"),
        pytest.param("Two", ("2", Kind.NUMBER), id="number word"),
        pytest.param("7", ("7", Kind.NUMBER), id="digit"),
        pytest.param("The", ("the", Kind.FUNCTION), id="stop word"),
        pytest.param("x", ("x", Kind.FUNCTION), id="letter"),
        pytest.param("%", ("%", Kind.FUNCTION), id="sign"),
        pytest.param("京", ("京", Kind.WORD), id="character of an unspaced script"),
    ],
)
def test_a_token_knows_its_kind(word: str, expected: tuple[str, Kind]) -> None:
    assert tokenize(word) == [expected]


def test_a_spelling_too_long_to_remember_reads_the_same_each_time() -> None:
    assert forms("x" * 10_000) == forms("x" * 10_000) == ["xxxxxx"]


def test_more_spellings_than_are_remembered_read_the_same() -> None:
    spellings = [f"w{number}x" for number in range(70_000)]
    assert [forms(spelling) for spelling in spellings[:9]] == [
        ["w", str(number), "x"] for number in range(9)
    ]
    assert len(forms(" ".join(spellings))) == 210_000
    assert forms("w1x") == ["w", "1", "x"]


def test_the_stop_words_are_as_many_as_were_measured_and_hold_negation() -> None:
    assert len(STOP_WORDS) == 173
    assert {"no", "not", "nor", "without"} <= STOP_WORDS


def test_one_is_a_pronoun_and_no_number_word() -> None:
    assert "one" not in NUMBER_WORDS


@given(st.text(st.sampled_from("ab\u00c9T 12,.'n \n\u6771%")))
def test_words_are_the_tokens_and_the_signs_of_a_text(text: str) -> None:
    words = read_words(text)
    assert list(zip(words.forms, words.kinds, strict=True)) == tokenize(text)
    assert words.features.kinds == read_features(text).kinds
    assert list(filter(None, words.features.capitals)) == list(
        filter(None, read_features(text).capitals)
    )


@given(
    st.text() | st.text(alphabet="\u4e2d\u6587\ud55c\uad6d\u3042ab'1. \u3002\uff11", max_size=80)
)
def test_the_forms_of_a_long_text_are_those_of_its_tokens(text: str) -> None:
    assert list(map(form_of, spellings(text))) == forms(text)
