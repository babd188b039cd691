"""Normalize the spellings of numbers: groups of digits, decimal commas, full-width digits."""

import re
import unicodedata

_GROUPED_BY_POINTS = re.compile(r"[1-9]\d{0,2}(?:\.\d{3},\d+|(?:\.\d{3}){2,}(?:,\d+)?)")
_GROUP_OR_DECIMALS = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_DECIMAL_COMMA = re.compile(r"\d+,(?:\d{1,2}|\d{4,})")


def number_form(number: str) -> str:
    """Return the form that the spellings of a number share, such as 1,299.5 and 1.299,5.

    >>> number_form("1,234.50")
    '1234.50'
    """
    if not number.isascii():
        number = unicodedata.normalize("NFKC", number).replace("\u2019", "'")
    if _GROUPED_BY_POINTS.fullmatch(number):
        number = number.replace(".", "").replace(",", ".")
    elif _DECIMAL_COMMA.fullmatch(number):
        number = number.replace(",", ".")
    return number.replace(",", "").replace("'", "").removesuffix(".0")


def grouped_form(number: str) -> str:
    """Return the form of a number, with 1.299 read as 1299."""
    form = number_form(number)
    return form.replace(".", "") if _GROUP_OR_DECIMALS.fullmatch(form) else form
