"""Spellings of numbers in several languages."""

import pytest

from groundwatch.transforms.lexical.language.number_forms import (
    grouped_form,
    join_groups,
    number_form,
    repeat_joined,
)

# ruff: noqa: RUF001 - full-width digits are tested here

FORMS = {
    "1,299": "1299",
    "1'299": "1299",
    "1\u2019299": "1299",
    "1,299.50": "1299.50",
    "1.299,50": "1299.50",
    "12.345.678": "12345678",
    "12,34,567": "1234567",
    "3,5": "3.5",
    "3.5": "3.5",
    "0.125": "0.125",
    "3.0": "3",
    "3.14159": "3.14159",
    "1.2.3": "1.2.3",
    "17:30": "17:30",
    "３００": "300",
    "2024": "2024",
}


@pytest.mark.parametrize(("number", "form"), FORMS.items(), ids=FORMS)
def test_equal_numbers_have_one_form(number: str, form: str) -> None:
    assert number_form(number) == form
    assert grouped_form(number) == form


def test_a_point_before_three_digits_may_separate_a_group() -> None:
    assert number_form("1.299") == "1.299"
    assert grouped_form("1.299") == "1299"
    assert grouped_form("0.299") == "0.299"


JOINED = {
    "un prix de 1 299 euros": "un prix de 1299 euros",
    "the rooms 1 299 and 300": "the rooms 1 299 and 300",
    "a price of 1\u202f299 euros": "a price of 1299 euros",
    "12\u00a0345\u202f678,50 euros": "12345678,50 euros",
    "the year 2019 300 people": "the year 2019 300 people",
    "1, 299 and 3 40": "1, 299 and 3 40",
    "0 299": "0 299",
    "5 2999": "5 2999",
}


@pytest.mark.parametrize(("text", "joined"), JOINED.items(), ids=JOINED)
def test_white_space_within_a_number_is_removed(text: str, joined: str) -> None:
    assert join_groups(text) == joined


def test_in_facts_a_number_with_white_space_may_also_be_a_list() -> None:
    assert repeat_joined("pour 1 299 euros") == "pour 1 299 1299 euros"
    assert repeat_joined("pour 1299 euros") == "pour 1299 euros"
