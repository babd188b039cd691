"""What one check may hold, and how the service counts it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.rules.limits import CheckLimits, count_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        pytest.param("", 0, id="empty"),
        pytest.param(" \n ", 0, id="white space"),
        pytest.param("They wore off-the-rack clothes in 2024.", 7, id="the service's example"),
        pytest.param("3.14", 2, id="inner full stop"),
        pytest.param("www.example.com/a.b", 4, id="address"),
        pytest.param(".5 of 1.2.3", 6, id="leading and several"),
        pytest.param("e.g.", 3, id="abbreviation"),
        pytest.param("a . b", 3, id="full stop between spaces"),
        pytest.param("यह है। وہ ہے\u06d4", 6, id="full stops of other scripts"),
        pytest.param("東京。3.14", 5, id="inner full stop behind han"),
        pytest.param("in a BOX.", 4, id="full stop behind a capital"),
        pytest.param("wait...", 4, id="three full stops"),
        pytest.param("...", 3, id="full stops alone"),
        pytest.param(".", 1, id="one full stop alone"),
        pytest.param("日本語です。", 6, id="japanese"),
        pytest.param("한국어", 3, id="korean"),
        pytest.param("ภาษา", 4, id="thai"),
        pytest.param("Tokyo東京 is big.", 6, id="mixed"),
        pytest.param("Привет, мир.", 3, id="russian"),
    ],
)
def test_tokens_are_words_and_every_full_stop(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


@given(st.text())
def test_no_token_is_shorter_than_a_character(text: str) -> None:
    assert count_tokens(text) <= len(text)


@given(st.text(), st.text())
def test_counting_in_parts_counts_no_less(left: str, right: str) -> None:
    assert count_tokens(left + right) <= count_tokens(left) + count_tokens(right)


def test_the_limits_are_those_the_service_documents() -> None:
    assert CheckLimits() == CheckLimits(
        max_facts=200,
        max_fact_chars=10_000,
        max_answer_tokens=4_096,
        max_user_labels=64,
        max_user_label_chars=63,
    )
