"""What an option is, and how its text is read."""

import sys
from collections.abc import Callable, Iterable
from typing import Any

from schemas import Record


def some_text(text: str) -> str:
    """Read any text but the empty one."""
    if not text.strip():
        raise ValueError("must not be empty")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("must be UTF-8") from None
    return text


class Option(Record, frozen=True, kw_only=True):
    """One flag of a command.

    Attributes:
      name: the flag without its dashes.
      meaning: what it sets, in which unit; for ``--help`` and the README.
      read: turns the text into the value, or raises ValueError saying what it must be.
      default: the value when the flag is not given.
      is_required: whether the command makes no sense without it.
      takes_many: whether several values may follow; the value is a tuple then.
      at_most: how many values may follow then, None for any number.
      is_switch: whether no value follows; it is True when given.
    """

    name: str
    meaning: str
    read: Callable[[str], Any] = some_text
    default: Any = None
    is_required: bool = False
    takes_many: bool = False
    at_most: int | None = None
    is_switch: bool = False


def fraction(text: str) -> float:
    """Read a score or a threshold, 0..1."""
    return _number(text, 0.0, 1.0, "must be a number from 0 to 1")


def share(text: str) -> float:
    """Read a share of something, 0..1, that is not nothing."""
    return _number(text, 1e-6, 1.0, "must be a number above 0, at most 1")


def fraction_or_none(text: str) -> float | None:
    """Read a threshold, 0..1, or the word none."""
    if text.lower() == "none":
        return None
    return _number(text, 0.0, 1.0, "must be a number from 0 to 1, or none")


def positive(text: str) -> float:
    """Read a number above 0."""
    return _number(text, sys.float_info.min, sys.float_info.max, "must be a number above 0")


def whole(text: str) -> int:
    """Read a whole number from 1."""
    if not (text.isascii() and text.isdigit() and int(text)):
        raise ValueError("must be a whole number from 1")
    return int(text)


def location(text: str) -> str:
    """Read a path or a glob of a file system that groundwatch knows."""
    scheme, colon, name = some_text(text).partition("://")
    if colon and scheme != "gs":
        raise ValueError("must be a local path, or begin with gs://")
    if colon and not name.partition("/")[0]:
        raise ValueError("must name a bucket after gs://")
    return text


def whole_or_zero(text: str) -> int:
    """Read a whole number from 0."""
    if not (text.isascii() and text.isdigit()):
        raise ValueError("must be a whole number from 0")
    return int(text)


class OneOf:
    """Reads one word out of a few.

    Args:
      choices: the words.
    """

    def __init__(self, choices: Iterable[str]) -> None:
        self.choices = tuple(map(str, choices))

    def __call__(self, text: str) -> str:
        """Read a word."""
        if text not in self.choices:
            raise ValueError(f"must be one of {', '.join(self.choices)}")
        return text


def one_of(choices: Iterable[str]) -> OneOf:
    """Read one word out of a few."""
    return OneOf(choices)


def pair(text: str) -> tuple[str, str]:
    """Read NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise ValueError("must have the form NAME=VALUE")
    return name, value


def _number(text: str, least: float, most: float, complaint: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise ValueError(complaint) from None
    # The comparison is also False for NaN.
    if not least <= number <= most:
        raise ValueError(complaint)
    return number
