"""Split text into tokens: the words, numbers and signs by which claims and facts are compared."""

import re
from enum import IntEnum
from itertools import chain, zip_longest

from schemas import Record
from transforms.contradictions.parsed_sentence import Features, features_of_word, without_first
from transforms.rules.cache import WordCache
from transforms.rules.english import NUMBER_WORDS, STOP_WORDS
from transforms.rules.limits import UNSPACED_SCRIPTS


class Kind(IntEnum):
    """The kind of a token; a name is a word with a capital."""

    FUNCTION = 0
    WORD = 1
    NUMBER = 2
    NAME = 3


FormAndKind = tuple[str, Kind]
"""A token's normal form, equal for the inflections of a word, and its kind."""


class Words(Record, frozen=True):
    """A text as tokens.

    Attributes:
      forms: the normal forms, in order.
      kinds: a byte for each, the number of its `Kind`.
      features: what the text may contain.
    """

    forms: list[str]
    kinds: bytearray
    features: Features


_LATIN = r"A-Za-z\u00c0-\u024f"
_TOKEN = re.compile(
    rf"[{_LATIN}]+(?:['\u2019][A-Za-z]{{1,3}}(?![{_LATIN}]))?"
    r"|\d+(?:[.,:/]\d+)*"
    rf"|[^\W\d_{_LATIN}{UNSPACED_SCRIPTS}]+"
    r"|[^\W\d_]"
    r"|[%$€£]"
)

_LETTERS_AS_WORDS = re.compile("([\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]{8,})")
"""Han and Hangul, each letter a token: splitting them as a list is ten times as fast."""

_PREFIX_CHARS = 6  # As good as a stemmer, measured on the sets named in `scoring`.


def tokenize(text: str) -> list[FormAndKind]:
    """Return a text's tokens, in order."""
    return list(chain.from_iterable(map(_tokens_of, text.split())))


def read_words(text: str) -> Words:
    """Return a text's tokens and features, with one cache lookup for each piece."""
    forms: list[str] = []
    kinds = bytearray()
    features, capitals = 0, []
    for its_forms, its_kinds, its_features, capital in map(_piece_of, text.split()):
        forms += its_forms
        kinds += its_kinds
        if its_features:
            features |= its_features
            capitals.append(capital)
    return Words(forms, kinds, Features(features, without_first(text, capitals)))


def spellings(text: str) -> list[str]:
    """Return the tokens of a text of any length as they are spelled."""
    if text.isascii():
        return _TOKEN.findall(text)
    found: list[str] = []
    for part, letters in zip_longest(*[iter(_LETTERS_AS_WORDS.split(text))] * 2, fillvalue=""):
        found += _TOKEN.findall(part)
        found += letters
    return found


def form_of(spelling: str) -> str:
    """Return the normal form of a token."""
    return _normal_form(_lower(spelling))


def _read_piece(unspaced: str) -> tuple[tuple[str, ...], bytes, int, str]:
    tokens = _tokens_of(unspaced)
    forms, kinds = tuple([form for form, _ in tokens]), bytes([kind for _, kind in tokens])
    return forms, kinds, *features_of_word(unspaced)


def _read_tokens(unspaced: str) -> tuple[FormAndKind, ...]:
    return tuple(map(_token_of, _TOKEN.findall(unspaced)))


def _read_token(spelling: str) -> FormAndKind:
    word = _lower(spelling)
    form = _normal_form(word)
    if word in STOP_WORDS or not _is_content(form):
        return form, Kind.FUNCTION
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


def _is_content(form: str) -> bool:
    """Return whether a form is a word, a digit or a character of a script without spaces."""
    return len(form) > 1 or form.isdigit() or (form >= UNSPACED_SCRIPTS[0] and form.isalpha())


# No token contains white space, and most pieces between white space repeat.
_token_of = WordCache(_read_token).__getitem__
_tokens_of = WordCache(_read_tokens).__getitem__
_piece_of = WordCache(_read_piece).__getitem__
