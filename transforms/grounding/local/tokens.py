"""Tokens: the words, numbers and signs that an answer and its facts are compared by."""

import re
from collections.abc import Callable
from itertools import chain
from typing import NamedTuple, TypeVar

from transforms.rules.limits import UNSPACED_SCRIPTS
from transforms.rules.words import NUMBER_WORDS, STOP_WORDS


class Token(NamedTuple):
    """What one spelling stands for.

    Attributes:
      form: the normal form, equal for the inflections of a word.
      is_content: whether it says something, unlike a function word or a single letter.
      is_number: whether it is content and stands for a number.
      is_entity: whether it is content, no number and written with a capital.
    """

    form: str
    is_content: bool
    is_number: bool
    is_entity: bool


_LATIN = r"A-Za-z\u00c0-\u024f"
_TOKEN = re.compile(
    rf"[{_LATIN}]+(?:['\u2019][A-Za-z]{{1,3}}(?![{_LATIN}]))?"
    r"|\d+(?:[.,:/]\d+)*"
    rf"|[^\W\d_{_LATIN}{UNSPACED_SCRIPTS}]+"
    r"|[^\W\d_]"
    r"|[%$€£]"
)

_PREFIX_CHARS = 6  # As good as a stemmer, measured on the sets named in `scoring`.
_REMEMBERED = 65_536
_REMEMBERED_CHARS = 40
"""Bounds on memory, some tens of MB at the very most; a language in daily use needs less."""

_Value = TypeVar("_Value")


class _Memory(dict[str, _Value]):
    """What a pure function returned for the texts seen so far; emptied when full."""

    def __init__(self, function: Callable[[str], _Value]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, text: str) -> _Value:
        value = self._function(text)
        if len(text) <= _REMEMBERED_CHARS:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[text] = value
        return value


def tokenize(text: str) -> list[Token]:
    """Return a text's tokens, in order."""
    return list(chain.from_iterable(map(_remembered_tokens, text.split())))


def _read_tokens(unspaced: str) -> tuple[Token, ...]:
    return tuple(map(_remembered_token, _TOKEN.findall(unspaced)))


def _read_token(spelling: str) -> Token:
    word = spelling.lower().replace("\u2019", "'").removesuffix("'s")
    form = _normal_form(word)
    is_content = word not in STOP_WORDS and _says_something(form)
    is_number = is_content and form[0].isdigit()
    is_entity = is_content and not is_number and spelling[0].isupper()
    return Token(form, is_content, is_number, is_entity)


def _normal_form(word: str) -> str:
    word = NUMBER_WORDS.get(word, word)
    if word[0].isdigit():
        return word.replace(",", "").removesuffix(".0")
    return word[:_PREFIX_CHARS]


def _says_something(form: str) -> bool:
    """Tell a word, a digit or a character of a script without spaces from a sign or letter."""
    return len(form) > 1 or form.isdigit() or (form >= UNSPACED_SCRIPTS[0] and form.isalpha())


# No token holds white space, and what stands between it is mostly known already.
_remembered_token = _Memory(_read_token).__getitem__
_remembered_tokens = _Memory(_read_tokens).__getitem__
