"""Tokens: the words, numbers and signs that an answer and its facts are compared by."""

import re
from enum import IntEnum
from itertools import chain, zip_longest

from schemas import Record
from transforms.contradictions.features import Features, features_of_word, without_first
from transforms.rules.cache import WordCache
from transforms.rules.english import NUMBER_WORDS, STOP_WORDS
from transforms.rules.limits import UNSPACED_SCRIPTS


class Kind(IntEnum):
    """What a token says: nothing, as a function word or a single letter, or something."""

    NOTHING = 0
    WORD = 1
    NUMBER = 2
    NAME = 3


Token = tuple[str, Kind]
"""A token's normal form, equal for the inflections of a word, and what it says.

A name is a word that is written with a capital."""


class Words(Record, frozen=True):
    """A text as tokens, and what it could hold.

    Attributes:
      forms: of its tokens, in order.
      kinds: a byte for each of them, the number of its `Kind`.
      signs: what the text could hold.
    """

    forms: list[str]
    kinds: bytearray
    signs: Features


_LATIN = r"A-Za-z\u00c0-\u024f"
_TOKEN = re.compile(
    rf"[{_LATIN}]+(?:['\u2019][A-Za-z]{{1,3}}(?![{_LATIN}]))?"
    r"|\d+(?:[.,:/]\d+)*"
    rf"|[^\W\d_{_LATIN}{UNSPACED_SCRIPTS}]+"
    r"|[^\W\d_]"
    r"|[%$€£]"
)


_LETTERS_AS_WORDS = re.compile("([\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]{8,})")
"""Han and Hangul, each letter a token: a list of them takes a tenth of looking for each."""

_PREFIX_CHARS = 6  # As good as a stemmer, measured on the sets named in `scoring`.


def tokenize(text: str) -> list[Token]:
    """Return a text's tokens, in order."""
    return list(chain.from_iterable(map(_remembered_tokens, text.split())))


def read_words(text: str) -> Words:
    """Read a text's tokens and signs, looking up once what stands between white space."""
    forms: list[str] = []
    kinds = bytearray()
    signs, capitals = 0, []
    for its_forms, its_kinds, its_signs, capital in map(_remembered_piece, text.split()):
        forms += its_forms
        kinds += its_kinds
        if its_signs:
            signs |= its_signs
            capitals.append(capital)
    return Words(forms, kinds, Features(signs, without_first(text, capitals)))


def _read_piece(unspaced: str) -> tuple[tuple[str, ...], bytes, int, str]:
    tokens = _remembered_tokens(unspaced)
    forms, kinds = tuple([form for form, _ in tokens]), bytes([kind for _, kind in tokens])
    return forms, kinds, *features_of_word(unspaced)


def _read_tokens(unspaced: str) -> tuple[Token, ...]:
    return tuple(map(_remembered_token, _TOKEN.findall(unspaced)))


def spellings(text: str) -> list[str]:
    """Find the tokens of a text of any length, as they are written."""
    if text.isascii():
        return _TOKEN.findall(text)
    found: list[str] = []
    for part, letters in zip_longest(*[iter(_LETTERS_AS_WORDS.split(text))] * 2, fillvalue=""):
        found += _TOKEN.findall(part)
        found += letters
    return found


def form_of(spelling: str) -> str:
    """Return the normal form of a token as it is written."""
    return _normal_form(_lower(spelling))


def _read_token(spelling: str) -> Token:
    word = _lower(spelling)
    form = _normal_form(word)
    if word in STOP_WORDS or not _says_something(form):
        return form, Kind.NOTHING
    if form[0].isdigit():
        return form, Kind.NUMBER
    return form, Kind.NAME if spelling[0].isupper() else Kind.WORD


def _lower(spelling: str) -> str:
    return spelling.lower().replace("\u2019", "'").removesuffix("'s")


def _normal_form(word: str) -> str:
    word = NUMBER_WORDS.get(word, word)
    if word[0].isdigit():
        return word.replace(",", "").removesuffix(".0")
    return word[:_PREFIX_CHARS]


def _says_something(form: str) -> bool:
    """Tell a word, a digit or a character of a script without spaces from a sign or letter."""
    return len(form) > 1 or form.isdigit() or (form >= UNSPACED_SCRIPTS[0] and form.isalpha())


# No token holds white space, and what stands between it is mostly known already.
_remembered_token = WordCache(_read_token).__getitem__
_remembered_tokens = WordCache(_read_tokens).__getitem__
_remembered_piece = WordCache(_read_piece).__getitem__
