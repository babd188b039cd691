"""Split text into words: the one tokenizer of scores and contradictions."""

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from enum import IntEnum
from itertools import compress, pairwise, zip_longest
from typing import NamedTuple
from unicodedata import combining, normalize

from groundwatch.schemas import Record
from groundwatch.transforms.lexical.values.read_values import may_have_value, read_values
from groundwatch.transforms.lexical.values.value import Value
from .cache import CachedAttribute, WordCache
from .negations import MARKS, may_deny
from .number_forms import grouped_form
from .phrases import ELISIONS, EQUAL_WORDS, OTHER_STOP_WORDS, STOP_WORDS, may_name_source_or_refuse
from .sentences import UNSPACED_SCRIPTS


class TokenKind(IntEnum):
    """The kind of a token; a name is a word with a capital."""

    FUNCTION = 0
    WORD = 1
    NUMBER = 2
    NAME = 3


_NUMBER, _NAME = int(TokenKind.NUMBER), int(TokenKind.NAME)
SOURCE, REFUSAL, NEGATION, VALUE = (1 << bit for bit in range(4))
"""A sign of what a text may have: the name of a source, a refusal, a negation, a value."""

_LATIN = r"A-Za-z\u00c0-\u024f\u1e00-\u1eff"
_SIGNS = r"\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0981-\u0983\u09be-\u09cd\u0b82\u0bbe-\u0bcd"
"""Vowel signs of Arabic, Devanagari, Bengali and Tamil, which stand within words."""
_TOKEN = re.compile(
    rf"[{_LATIN}]+(?:['\u2019][A-Za-z]{{1,3}}(?![{_LATIN}]))?"
    r"|\d+(?:[.,:/]\d+|['\u2019]\d{3}(?!\d))*"
    rf"|[^\W\d_{_LATIN}{UNSPACED_SCRIPTS}](?:[^\W\d_{_LATIN}{UNSPACED_SCRIPTS}]|[{_SIGNS}])*"
    r"|[^\W\d_]"
    r"|[%$€£]"
)

_LETTERS_AS_WORDS = re.compile("([\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]{8,})")
"""Han and Hangul, each letter a token: splitting them as a list is ten times as fast."""

_MAX_BYTES, _BYTES_OF_PIECE = 24_000_000, 150
"""Of cached words. On varied text four times as much saves 5 % of a check's time."""

_SMALL = re.compile(r"(?<![\w'\u2019])[^\W\d_A-Z\u00c0-\u00de]")
_FEWEST_CAPITALS = 3
"""Content tokens of a claim in capitals."""

_PREFIX_CHARS = 6  # As good as a stemmer, measured on the sets named in `scoring`.
_FIRST_COMBINING = "\u0300"


class Words(Record, frozen=True):
    """The normal forms of a text's tokens, a `TokenKind` for each, and signs as bits.

    The inflections of a word have one form.
    """

    forms: list[str]
    kinds: bytes
    signs: int

    def numbers(self) -> Sequence[str]:
        """Return the forms of the numbers, in order."""
        return _of_kind(_NUMBER, self.forms, self.kinds)


class Token(NamedTuple):
    """A token and its place in a text in characters; `lower` is its spelling in lower case."""

    form: str
    kind: int
    lower: str
    start: int
    end: int


def read_words(text: str) -> Words:
    """Return a text's tokens and signs, with one cache lookup for each piece."""
    forms: list[str] = []
    kinds = []
    signs = 0
    for of_piece, kinds_of_piece, signs_of_piece in map(_piece_of, text.split()):
        forms += of_piece
        kinds.append(kinds_of_piece)
        signs |= signs_of_piece
    return Words(forms, b"".join(kinds), signs)


def read_tokens(text: str) -> list[Token]:
    """Return a text's tokens with their places, in order."""
    tokens = []
    for found in _TOKEN.finditer(text):
        [form], [kind], _ = _piece_of(spelled := found[0])
        tokens.append(Token(form, kind, spelled.lower(), *found.span()))
    return tokens


def word_from(tokens: Iterable[Token], place: int) -> Token | None:
    """Return the first content token that begins at a place of the text or behind it."""
    return next((token for token in tokens if token.kind and token.start >= place), None)


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


_Piece = tuple[tuple[str, ...], bytes, int]
"""What stands between white space, or a token: the forms and kinds of its tokens, and its signs."""


def _read_piece(unspaced: str) -> _Piece:
    bare = unspaced.strip(MARKS)
    if bare.isascii() and bare.isalpha():  # A fast way for most words.
        return _piece_of(bare) if bare != unspaced else _read_token(bare)
    spelled = _TOKEN.findall(unspaced)
    if spelled == [unspaced]:
        return _read_token(unspaced)
    words = read_words(" ".join(spelled))
    return tuple(words.forms), words.kinds, _read_signs(unspaced)


def _read_signs(word: str) -> int:
    lower = word.lower()
    bare = lower.strip(MARKS)
    names_source, refuses = may_name_source_or_refuse(lower, bare)
    signs = SOURCE * names_source | REFUSAL * refuses
    return signs | NEGATION * may_deny(bare) | VALUE * may_have_value(word)


def _read_token(spelling: str) -> _Piece:
    word = _lower(spelling)
    form = _normal_form(word)
    return (form,), bytes([_kind_of(spelling, word, form)]), _read_signs(spelling)


def _kind_of(spelling: str, word: str, form: str) -> TokenKind:
    if word in STOP_WORDS or word in OTHER_STOP_WORDS or not _is_content(form):
        return TokenKind.FUNCTION
    if form[0].isdigit():
        return TokenKind.NUMBER
    return TokenKind.NAME if spelling[0].isupper() else TokenKind.WORD


def _lower(spelling: str) -> str:
    word = spelling.lower().replace("\u2019", "'").removesuffix("'s")
    elided, mark, rest = word.partition("'")
    return rest if mark and rest and elided in ELISIONS else word


def _normal_form(word: str) -> str:
    word = EQUAL_WORDS.get(word, word)
    if word[0].isdigit():
        return grouped_form(word)
    return (word if word.isascii() else _without_accents(word))[:_PREFIX_CHARS]


def _without_accents(word: str) -> str:
    if word[0] >= _FIRST_COMBINING:  # no Latin letter
        return word
    return "".join([char for char in normalize("NFD", word) if not combining(char)])


def _is_content(form: str) -> bool:
    """Return whether a form is a word, a digit or a character of a script without spaces."""
    if len(form) > 1 or form.isdigit():
        return True
    return form >= UNSPACED_SCRIPTS[0] and form.isalpha() and not is_kana(form)


def is_kana(form: str) -> bool:
    """Return whether a form is a character of hiragana, mostly a particle or an ending."""
    return "\u3041" <= form <= "\u309f"


# No token contains white space, and most pieces between white space repeat.
_piece_of = WordCache(_read_piece, _MAX_BYTES, _BYTES_OF_PIECE).__getitem__

Pair = tuple[str, str]


def content_of(text: str) -> frozenset[str]:
    """Return the distinct content tokens of a text, as their forms."""
    words = read_words(text)
    return frozenset(compress(words.forms, words.kinds))


class ClaimWords:
    """The words of a claim as normal forms, in order.

    Args:
      text: what of the claim is compared.
      words: what `read_words` returns for this text.

    Attributes:
      forms, kinds, signs: those of `words`.
      content: the forms of the content tokens.
      distinct: the same, each once.
      numbers: the forms of the numbers.
    """

    def __init__(self, text: str, words: Words) -> None:
        self.text = text
        self.forms = words.forms
        self.kinds = words.kinds
        self.signs = words.signs
        self.content = tuple(compress(words.forms, words.kinds))
        self.distinct = frozenset(self.content)
        self.numbers = words.numbers()

    @classmethod
    def of(cls, text: str) -> "ClaimWords":
        """Read the words of a text."""
        return cls(text, read_words(text))

    @CachedAttribute
    def names(self) -> Sequence[str]:
        """The content tokens that are names; the first token of a claim is not a name.

        Where all words have capitals, they mark no names.
        """
        if len(self.content) >= _FEWEST_CAPITALS and not _SMALL.search(self.text):
            return ()
        return _of_kind(_NAME, self.forms[1:], self.kinds[1:])

    @CachedAttribute
    def values(self) -> list[Value]:
        """The values in the text."""
        return read_values(self.text) if self.signs & VALUE else []

    @CachedAttribute
    def pairs(self) -> list[Pair]:
        """All adjacent tokens, function words included."""
        return list(pairwise(self.forms))

    def count(self, missed: AbstractSet[str]) -> tuple[int, int, int]:
        """Count the occurrences of some forms among the numbers, names and content tokens."""
        is_missed = missed.__contains__
        return (
            sum(map(is_missed, self.numbers)),
            sum(map(is_missed, self.names)),
            sum(map(is_missed, self.content)),
        )


def _of_kind(kind: int, forms: Sequence[str], kinds: bytes) -> Sequence[str]:
    if kind not in kinds:
        return ()
    return [form for form, its_kind in zip(forms, kinds, strict=True) if its_kind == kind]
