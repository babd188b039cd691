"""Normalize the spellings of numbers: groups of digits, decimal commas, full-width digits."""

import re
import unicodedata

from .phrases import has_english

_GROUPED_BY_POINTS = re.compile(r"[1-9]\d{0,2}(?:\.\d{3},\d+|(?:\.\d{3}){2,}(?:,\d+)?)")
_GROUP_OR_DECIMALS = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_DECIMAL_COMMA = re.compile(r"\d+,(?:\d{1,2}|\d{4,})")
_NO_BREAK_SPACES = "\u00a0\u2009\u202f"
_SEPARATED_BY_NO_BREAK_SPACES, _SEPARATED = (
    re.compile(rf"\b(?<![\d.,:/-])[1-9]\d{{0,2}}(?:[{spaces}]\d{{3}})+(?!\d)")
    for spaces in (_NO_BREAK_SPACES, f" {_NO_BREAK_SPACES}")
)


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


def join_groups(text: str) -> str:
    """Remove the white space in numbers such as "1 299"; in English it may be a list.

    >>> join_groups("1 234 567 lamps")
    '1234567 lamps'
    """
    expression = _separated_in(text)
    if expression is None or not expression.search(text):
        return text
    return expression.sub(lambda found: "".join(found[0].split()), text)


def repeat_joined(text: str) -> str:
    """Repeat numbers such as "1 299" without the white space; they may also be a list."""
    expression = _separated_in(text)
    if expression is None:
        return text
    return expression.sub(lambda found: f"{found[0]} {''.join(found[0].split())}", text)


def _separated_in(text: str) -> re.Pattern[str] | None:
    if not has_english(text):
        return _SEPARATED
    if text.isascii() or not any(map(text.__contains__, _NO_BREAK_SPACES)):
        return None
    return _SEPARATED_BY_NO_BREAK_SPACES
