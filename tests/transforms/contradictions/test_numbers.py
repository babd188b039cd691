"""Numbers and what they count."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.contradictions.numbers import (
    UNITS,
    may_count,
    may_count_in_words,
    plain_numbers,
    plain_values,
    read_quantities,
    read_values,
)
from transforms.contradictions.tokenized_text import CARDINALS, TokenizedText
from transforms.rules.number_forms import join_groups

WRITTEN = {
    "330 metres": [("330 metres", 330.0, "m", None)],
    "10,100 t of 2.0 kg": [("10,100", 10_100.0, None, None), ("2.0 kg", 2.0, "kg", None)],
    "5m, 5 m": [("5m", 5.0, "m", None), ("5 m", 5.0, "m", None)],
    "plan 5 C of it": [("5", 5.0, None, None)],
    "58 degrees Fahrenheit": [("58 degrees Fahrenheit", 58.0, "fahrenheit", None)],
    "70 °C and 45 degrees": [
        ("70 °C", 70.0, "celsius", None),
        ("45 degrees", 45.0, "degree", None),
    ],
    "$1.5 million": [("$1.5 million", 1.5e6, "$", None)],
    "40 % of 40 percent": [("40 %", 40.0, "%", None), ("40 percent", 40.0, "%", None)],
    "two hundred lamps": [("two hundred", 200.0, None, "lamp")],
    "twenty-five red lamps": [("twenty-five", 25.0, None, "red")],
    "3 of the lamps": [("3", 3.0, None, None)],
    "3, lamps": [("3", 3.0, None, None)],
    "at 17:30 on 1/5": [("17:30", "17:30", None, None), ("1/5", "1/5", None, None)],
    "1.299 Euro, 1 299 Euro": [
        ("1.299 Euro", 1299.0, "€", None),
        ("1 299 Euro", 1299.0, "€", None),
    ],
    "1\u202f299,50 € of 3,5 l": [
        ("1\u202f299,50 €", 1299.5, "€", None),
        ("3,5 l", 3.5, "l", None),
    ],
    "the 1.299 kg of it": [("1.299 kg", 1.299, "kg", None)],
    "3 Millionen Lampen": [("3 Millionen", 3e6, None, "lampen")],
    "¥3,000, 3万円": [("¥3,000", 3000.0, "¥", None), ("3万円", 30_000.0, "¥", None)],
    "8万5千円, 1億2千万人": [
        ("8万5千円", 85_000.0, "¥", None),
        ("1億2千万", 120_000_000.0, None, "人"),
    ],
    "5個": [("5", 5.0, None, "個")],
    "first, second and half": [],
    "one lamp": [],
    "step 4, options 1 and 2": [],
}


@pytest.mark.parametrize(("text", "expected"), WRITTEN.items(), ids=WRITTEN)
def test_numbers_are_read_with_what_they_count(
    text: str, expected: list[tuple[str, float | str, str | None, str | None]]
) -> None:
    quantities = read_quantities(TokenizedText(text), set())
    assert [
        (each.text, each.value, each.unit and each.unit.name, each.counted) for each in quantities
    ] == expected
    assert may_count(text.lower()) or not expected


def test_tokens_of_something_else_are_not_numbers() -> None:
    statement = TokenizedText("5 lamps of 1999")
    assert [each.value for each in read_quantities(statement, {3})] == [5.0]


def test_each_spelling_stands_for_one_unit() -> None:
    assert UNITS["km"] is UNITS["kilometers"] is UNITS["kilometres"]
    assert not UNITS["km"].may_equal(UNITS["miles"])
    assert UNITS["degrees"].may_equal(UNITS["celsius"])
    assert not UNITS["celsius"].may_equal(UNITS["fahrenheit"])


def test_plain_numbers_are_found_without_reading() -> None:
    text = "twelve of 1,500.0 came at 17:30, twenty-five first"
    assert plain_numbers(text) == {12.0, 1500.0, "17:30", 20.0, 5.0}
    assert may_count_in_words(text)
    assert not may_count_in_words("twelve")


WORDS = [
    *(
        "Two",
        "two",
        "hundred",
        "million",
        "5",
        "20",
        "twenty",
        "1,000",
        "17:30",
        "$",
        "(five)",
        "299",
        "000",
    ),
    *("-nine", "half", "one", "lamps", "of"),
]
TEXTS = st.lists(st.sampled_from(WORDS)).map(" ".join)


@given(TEXTS)
def test_no_quantity_of_a_text_is_missed_by_the_fast_test(text: str) -> None:
    for quantity in read_quantities(TokenizedText(text), set()):
        assert not read_values(text).isdisjoint({quantity.value, None})


@pytest.mark.parametrize(
    ("text", "values"), [("5 lamps", {5.0}), ("", set()), ("6 million", {6.0, 1e6, None})]
)
def test_the_values_of_a_text_are_those_of_its_words(text: str, values: set[float | None]) -> None:
    assert read_values(text) == values


@given(st.text("5120.,:/ ninetwo(-)\n") | TEXTS)
def test_plain_numbers_are_those_of_the_whole_text(text: str) -> None:
    joined = join_groups(text)
    found = re.findall(r"\d+(?:[.,:/]\d+)*", f"{text} {joined}") + re.findall("[a-z]+", text)
    numbers = [word for word in found if word[0].isdigit() or word in CARDINALS]
    assert plain_numbers(text) == {value for number in numbers for value in plain_values(number)}


def test_the_first_64_numbers_of_a_sentence_are_read() -> None:
    quantities = read_quantities(TokenizedText(" ".join(map(str, range(1_000)))), set())
    assert [quantity.value for quantity in quantities] == list(range(64))


def test_a_long_list_of_steps_counts_nothing() -> None:
    steps = " and ".join(map(str, range(5_000)))
    assert read_quantities(TokenizedText(f"Repeat steps {steps}"), set()) == []
