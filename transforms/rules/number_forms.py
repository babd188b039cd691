"""Normalize the spellings of numbers: groups of digits, decimal commas, full-width digits."""

import re
import unicodedata
from collections.abc import Iterable

# "1.299" is read as a group: wrong for the few numbers with exactly three decimals.
_GROUPED_BY_POINTS = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?")
_DECIMAL_COMMA = re.compile(r"\d+,(?:\d{1,2}|\d{4,})")
_SEPARATED = re.compile(r"(?<![\d.,:/-])[1-9]\d{0,2}(?:[ \u00a0\u2009\u202f]\d{3})+(?!\d)")
_MAYBE_SEPARATED = re.compile(r"\d[ \u00a0\u2009\u202f]\d{3}(?!\d)")
_GROUPS = frozenset(f"{number:03}" for number in range(1_000))


def number_form(number: str) -> str:
    """Return the form that the spellings of a number share, such as 1,299.5 and 1.299,5."""
    if not number.isascii():
        number = unicodedata.normalize("NFKC", number).replace("\u2019", "'")
    if _GROUPED_BY_POINTS.fullmatch(number):
        number = number.replace(".", "").replace(",", ".")
    elif _DECIMAL_COMMA.fullmatch(number):
        number = number.replace(",", ".")
    return number.replace(",", "").replace("'", "").removesuffix(".0")


def has_group(forms: Iterable[str]) -> bool:
    """Return whether a number has three digits, and may be a part of "1 299"; a fast test."""
    return not _GROUPS.isdisjoint(forms)


def join_groups(text: str) -> str:
    """Remove the white space in numbers such as "1 299"."""
    if not _MAYBE_SEPARATED.search(text):
        return text
    return _SEPARATED.sub(lambda found: "".join(found[0].split()), text)


def repeat_joined(text: str) -> str:
    """Repeat numbers such as "1 299" without the white space; they may also be a list."""
    if not _MAYBE_SEPARATED.search(text):
        return text
    return _SEPARATED.sub(lambda found: f"{found[0]} {''.join(found[0].split())}", text)
