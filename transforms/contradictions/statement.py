"""A sentence as tokens."""

import re
from itertools import chain

from schemas import Record
from transforms.rules.cache import WordCache, lazy_property
from transforms.rules.english import NUMBER_WORDS, STOP_WORDS

_TOKEN = re.compile(
    r"\d{4}-\d{2}-\d{2}(?!\d)|\d+(?:[.,:/]\d+)*|[^\W\d_]+(?:['\u2019][^\W\d_]+)*|[%$€£°]"
)
_ASCII_TOKEN = re.compile(
    r"\d{4}-\d{2}-\d{2}(?!\d)|\d+(?:[.,:/]\d+)*|[A-Za-z]+(?:'[A-Za-z]+)*|[%$]"
)
"""The same for most texts, in two thirds of the time."""

_BREAK = re.compile(r"""[,;:.!?()\[\]"\u201c\u201d]""")
FORM_CHARS = 6
"""The most characters of a word's form; a number's may have more."""

_SHORTEST_PLURAL = 3


class Word(Record, frozen=True, gc=False):
    """What one spelling stands for.

    Attributes:
      form: the same for the inflections of a word, and for a number however it is written.
      lower: in lower case, without a final 's.
      is_content: whether it says something, unlike a function word or a single letter.
    """

    form: str
    lower: str
    is_content: bool


class Token(Record, frozen=True, gc=False):
    """A word, a number or a sign, as it is written, and the characters where it stands."""

    text: str
    word: Word
    start: int
    end: int

    @property
    def form(self) -> str:
        """The same for the inflections of a word, and for a number however it is written."""
        return self.word.form


class Statement:
    """A sentence as tokens, read as far as anybody asks.

    Args:
      text: as it is written.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @lazy_property
    def content(self) -> frozenset[str]:
        """The forms of the tokens that say something."""
        return frozenset(chain.from_iterable(map(_remembered_content, self.text.split())))

    @lazy_property
    def tokens(self) -> list[Token]:
        """The tokens, in order."""
        tokens = []
        behind = 0
        for piece in self.text.split():
            place = self.text.index(piece, behind)
            behind = place + len(piece)
            for spelling, word, start, end in _remembered_tokens(piece):
                tokens.append(Token(spelling, word, place + start, place + end))
        return tokens

    def between(self, first: Token, last: Token) -> str:
        """What is written from one token to another, both included."""
        return self.text[first.start : last.end]

    def breaks_between(self, first: Token, last: Token) -> bool:
        """Whether a mark of punctuation stands somewhere between two tokens."""
        return _BREAK.search(self.text, first.end, last.start) is not None


def spellings(text: str) -> list[str]:
    """Find the tokens of a text of any length, as they are written."""
    return _pattern(text).findall(text)


def _pattern(text: str) -> re.Pattern[str]:
    return _ASCII_TOKEN if text.isascii() else _TOKEN


def _read_word(spelling: str) -> Word:
    lower = _lower(spelling)
    form = form_of(lower)
    return Word(form, lower, lower not in STOP_WORDS and (len(form) > 1 or form.isdigit()))


def _lower(spelling: str) -> str:
    return spelling.lower().replace("\u2019", "'").removesuffix("'s")


def form_of_spelling(spelling: str) -> str:
    """Return the form of a token as it is written."""
    return form_of(_lower(spelling))


def form_of(lower: str) -> str:
    """Return what is the same for a word's inflections, and for a number however it is written."""
    word = NUMBER_WORDS.get(lower, lower)
    if word[0].isdigit():
        return word.replace(",", "").removesuffix(".0").lstrip("0") or "0"
    is_plural = len(word) > _SHORTEST_PLURAL and word[-1] == "s" and word[-2] != "s"
    return word[: min(FORM_CHARS, len(word) - is_plural)]


_remembered_word = WordCache(_read_word).__getitem__


def _read_tokens(unspaced: str) -> tuple[tuple[str, Word, int, int], ...]:
    found = _pattern(unspaced).finditer(unspaced)
    return tuple((token[0], _remembered_word(token[0]), *token.span()) for token in found)


def _read_content(unspaced: str) -> tuple[str, ...]:
    words = map(_remembered_word, _pattern(unspaced).findall(unspaced))
    return tuple(word.form for word in words if word.is_content)


# No token holds white space, and what stands between it is mostly known already.
_remembered_tokens = WordCache(_read_tokens).__getitem__
_remembered_content = WordCache(_read_content).__getitem__
