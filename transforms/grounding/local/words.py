"""Split text into words, and read the words of the sentences that require a check."""

import re
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from enum import IntEnum
from itertools import chain, compress, pairwise, zip_longest

from schemas import Record
from transforms.contradictions.parsed_sentence import (
    REFUSAL,
    SOURCE,
    Features,
    WordFeatures,
    features_of_word,
    join_features,
)
from transforms.grounding.local.native import core
from transforms.rules import phrases
from transforms.rules.cache import MAX_WORD_CHARS, MAX_WORDS, CachedAttribute, WordCache
from transforms.rules.limits import UNSPACED_SCRIPTS
from transforms.rules.number_forms import grouped_form, join_groups, repeat_joined
from transforms.rules.phrases import NUMBER_WORDS, STOP_WORDS


class TokenKind(IntEnum):
    """The kind of a token; a name is a word with a capital."""

    FUNCTION = 0
    WORD = 1
    NUMBER = 2
    NAME = 3


_NUMBER = int(TokenKind.NUMBER)
FormAndKind = tuple[str, TokenKind]
"""A token's normal form, equal for the inflections of a word, and its kind."""


class Words(Record, frozen=True):
    """The normal forms of a text's tokens, and a byte for each: its `TokenKind`."""

    forms: list[str]
    kinds: bytes
    features: Features


_LATIN = r"A-Za-z\u00c0-\u024f"
_TOKEN = re.compile(
    rf"[{_LATIN}]+(?:['\u2019][A-Za-z]{{1,3}}(?![{_LATIN}]))?"
    r"|\d+(?:[.,:/]\d+|['\u2019]\d{3}(?!\d))*"
    rf"|[^\W\d_{_LATIN}{UNSPACED_SCRIPTS}]+"
    r"|[^\W\d_]"
    r"|[%$€£]"
)

_LETTERS_AS_WORDS = re.compile("([\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]{8,})")
"""Han and Hangul, each letter a token: splitting them as a list is ten times as fast."""

_PREFIX_CHARS = 6  # As good as a stemmer, measured on the sets named in `scoring`.


def tokenize(text: str) -> list[FormAndKind]:
    """Return a text's tokens, in order."""
    return list(map(_token_of, _TOKEN.findall(text)))


def forms_of(text: str) -> list[str]:
    """Return the normal forms of a text's tokens, in order."""
    return _forms_in(repeat_joined(text))


def read_words(text: str) -> Words:
    """Return a text's tokens and features, with one cache lookup for each piece."""
    forms, kinds, features = _words_in(text)
    if _NUMBER in kinds and (joined := join_groups(text)) != text:
        forms, kinds, features = _words_in(joined)
    return Words(forms, kinds, join_features(text, features))


def spellings(text: str) -> list[str]:
    """Return the tokens of a text of any length as they are spelled."""
    text = repeat_joined(text)
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


def _read_piece(unspaced: str) -> tuple[tuple[str, ...], bytes, WordFeatures | None]:
    kinds = bytes([kind for _, kind in tokenize(unspaced)])
    return _forms_of(unspaced), kinds, features_of_word(unspaced)


def _read_forms(unspaced: str) -> tuple[str, ...]:
    return tuple([form for form, _ in tokenize(unspaced)])


def _read_token(spelling: str) -> FormAndKind:
    word = _lower(spelling)
    form = _normal_form(word)
    if word in STOP_WORDS or not _is_content(form):
        return form, TokenKind.FUNCTION
    if form[0].isdigit():
        return form, TokenKind.NUMBER
    return form, TokenKind.NAME if spelling[0].isupper() else TokenKind.WORD


def _lower(spelling: str) -> str:
    return spelling.lower().replace("\u2019", "'").removesuffix("'s")


def _normal_form(word: str) -> str:
    word = NUMBER_WORDS.get(word, word)
    if word[0].isdigit():
        return grouped_form(word)
    return word[:_PREFIX_CHARS]


def _is_content(form: str) -> bool:
    """Return whether a form is a word, a digit or a character of a script without spaces."""
    return len(form) > 1 or form.isdigit() or (form >= UNSPACED_SCRIPTS[0] and form.isalpha())


# No token contains white space, and most pieces between white space repeat.
_token_of = WordCache(_read_token).__getitem__
_forms_of = WordCache(_read_forms).__getitem__
_piece_of = WordCache(_read_piece).__getitem__


def _join_forms(text: str) -> list[str]:
    return list(chain.from_iterable(map(_forms_of, text.split())))


def _join_pieces(text: str) -> tuple[list[str], bytes, Sequence[WordFeatures | None]]:
    forms: list[str] = []
    kinds = bytearray()
    features = []
    for its_forms, its_kinds, its_features in map(_piece_of, text.split()):
        forms += its_forms
        kinds += its_kinds
        features.append(its_features)
    return forms, bytes(kinds), features


_words_in: Callable[[str], tuple[list[str], bytes, Sequence[WordFeatures | None]]] = _join_pieces
_forms_in: Callable[[str], list[str]] = _join_forms
if core:
    _words_in = core.PieceTable(_read_piece, MAX_WORDS, MAX_WORD_CHARS).words
    _bare_words_in = core.PieceTable(
        lambda unspaced: (_read_forms(unspaced), b"", None), MAX_WORDS, MAX_WORD_CHARS
    ).words
    _forms_in = lambda text: _bare_words_in(text)[0]  # noqa: E731

Pair = tuple[str, str]
_AROUND = " \t*_\u00a1"
"""White space, Markdown's emphasis, and the mark in front of an exclamation."""


class ClaimWords:
    """The words of a claim as normal forms, in order.

    Args:
      forms: of all tokens.
      kinds: a byte for each token: its `TokenKind`.
      features: of the whole sentence.
    """

    def __init__(self, forms: list[str], kinds: bytes, features: Features) -> None:
        self.forms = forms
        self.kinds = kinds
        self.features = features

    @CachedAttribute
    def content(self) -> tuple[str, ...]:
        """The content tokens."""
        return tuple(compress(self.forms, self.kinds))

    @CachedAttribute
    def distinct(self) -> frozenset[str]:
        """The distinct content tokens."""
        return frozenset(self.content)

    @CachedAttribute
    def numbers(self) -> Sequence[str]:
        """The content tokens that are numbers."""
        return _of_kind(TokenKind.NUMBER, self.forms, self.kinds)

    @CachedAttribute
    def names(self) -> Sequence[str]:
        """The content tokens that are names; the first token of a claim is not a name."""
        return _of_kind(TokenKind.NAME, self.forms[1:], self.kinds[1:])

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


def read_claim(sentence: str) -> ClaimWords | None:
    """Return the words of a sentence, or None if it requires no check.

    A question, an announcement, a greeting, a statement that the sources do not contain something,
    and a sentence without a content token require no check.
    """
    words = read_words(sentence)
    names_source = bool(words.features.kinds & SOURCE)
    statement = _without_boilerplate(sentence, names_source=names_source)
    bare = statement.strip(_AROUND)
    if bare.endswith(("?", "\uff1f", "\u061f", ":", "\uff1a")):
        return None
    if phrases.addresses_reader(bare):
        return None
    if names_source and words.features.kinds & REFUSAL and phrases.refuses(sentence):
        return None
    stated = words if statement == sentence else read_words(statement)
    return ClaimWords(stated.forms, stated.kinds, words.features) if any(stated.kinds) else None


def _without_boilerplate(sentence: str, *, names_source: bool) -> str:
    statement = phrases.FOOTNOTE.sub(" ", sentence) if "[" in sentence else sentence
    if names_source:
        statement = phrases.without_references(phrases.without_opening(statement))
    return statement


def _of_kind(kind: TokenKind, forms: Sequence[str], kinds: bytes) -> Sequence[str]:
    if kind not in kinds:
        return ()
    return [form for form, its_kind in zip(forms, kinds, strict=True) if its_kind == kind]
