"""Spellings of numbers in several languages."""

import pytest

from groundwatch.transforms.lexical.language.number_forms import grouped_form, number_form

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
