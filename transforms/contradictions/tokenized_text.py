"""Split a sentence into tokens: words, numbers and signs."""

import re
from itertools import chain, islice

from schemas import Record
from transforms.rules.cache import CachedAttribute, WordCache
from transforms.rules.number_forms import number_form
from transforms.rules.phrases import NUMBER_WORDS, STOP_WORDS

_TOKEN = re.compile(
    r"\d{4}-\d{2}-\d{2}(?!\d)|\d+(?:[.,:/]\d+|['\u2019]\d{3}(?!\d))*"
    r"|[\u3041-\u309f]+|[\u30a1-\u30ff]+|[\u3400-\u9fff]"
    r"|[^\W\d_\u3041-\u30ff\u3400-\u9fff]+(?:['\u2019][^\W\d_]+)*|[%$€£¥\uffe5°]"
)
# Equal on ASCII text, in two thirds of the time.
_ASCII_TOKEN = re.compile(
    r"\d{4}-\d{2}-\d{2}(?!\d)|\d+(?:[.,:/]\d+|'\d{3}(?!\d))*|[A-Za-z]+(?:'[A-Za-z]+)*|[%$]"
)
_HAN = "\u3400"  # the first of the characters that are words on their own
_HIRAGANA = re.compile(r"[\u3041-\u309f]")  # mostly particles and endings
_BREAK = re.compile(r"""[,;:.!?()\[\]"\u201c\u201d\u3001\u3002\uff0c]""")
CARDINALS = NUMBER_WORDS.keys() - {
    *("half", "first", "second", "third", "fourth", "fifth", "twice"),
}
MARKS = " .,;:!?()[]*_'\"\u201c\u201d"  # may stand around a word
FORM_CHARS = 6  # of the longest form of a word; a number's may be longer
_MIN_PLURAL_CHARS = 4


class Token(Record, frozen=True, gc=False):
    """A word, a number or a sign in a text, with its span in characters.

    The form is equal for the inflections of a word, and for all spellings of a number. `lower` is
    without a final 's. Function words and single letters are not content.
    """

    text: str
    form: str
    lower: str
    is_content: bool
    is_number: bool
    start: int
    end: int


_Word = tuple[str, str, bool, bool]
"""The form of a token, its spelling in lower case, and whether it is content and a number."""


class TokenizedText:
    """A sentence and its tokens."""

    def __init__(self, text: str) -> None:
        self.text = text

    @CachedAttribute
    def content(self) -> frozenset[str]:
        """The forms of the content words."""
        return content_of(self.text)

    @CachedAttribute
    def tokens(self) -> list[Token]:
        """The tokens, in order."""
        tokens: list[Token] = []
        place = 0
        find, add = self.text.index, tokens.append
        for piece in self.text.split():
            place = find(piece, place)
            for text, form, lower, is_content, is_number, start, end in _tokens_of(piece):
                add(Token(text, form, lower, is_content, is_number, place + start, place + end))
            place += len(piece)
        return tokens

    def between(self, first: Token, last: Token) -> str:
        """Return the text from one token to another, both included."""
        return self.text[first.start : last.end]

    def breaks_between(self, first: Token, last: Token) -> bool:
        """Return whether there is a punctuation mark between two tokens."""
        return self.breaks_within(first.end, last.start)

    def breaks_within(self, start: int, end: int) -> bool:
        """Return whether there is a punctuation mark between two positions."""
        return _BREAK.search(self.text, start, end) is not None


def first_content(text: str, max_tokens: int) -> str | None:
    """Return the form of the first content word among the first tokens of a text."""
    tokens = islice(chain.from_iterable(map(_tokens_of, text.split())), max_tokens)
    return next((form for _, form, _, is_content, *_ in tokens if is_content), None)


def content_of(text: str) -> frozenset[str]:
    """Return the forms of the content words of a text."""
    return frozenset(chain.from_iterable(map(_content_of, text.split())))


def spellings(text: str) -> list[str]:
    """Return the tokens of a text of any length as they are spelled."""
    return _pattern(text).findall(text)


def form_of_spelling(spelling: str) -> str:
    """Return the form of a token."""
    return form_of(_lower(spelling))


def form_of(lower: str) -> str:
    """Return what all inflections of a word, or spellings of a number, in lower case share."""
    word = NUMBER_WORDS.get(lower, lower)
    if word[0].isdigit():
        return number_form(word).lstrip("0") or "0"
    is_plural = len(word) >= _MIN_PLURAL_CHARS and word[-1] == "s" and word[-2] != "s"
    return word[: min(FORM_CHARS, len(word) - is_plural)]


def _pattern(text: str) -> re.Pattern[str]:
    return _ASCII_TOKEN if text.isascii() else _TOKEN


def _lower(spelling: str) -> str:
    return spelling.lower().replace("\u2019", "'").removesuffix("'s")


def _read_word(spelling: str) -> _Word:
    lower = _lower(spelling)
    form = form_of(lower)
    is_word = len(form) > 1 or form.isdigit() or form >= _HAN
    is_content = is_word and lower not in STOP_WORDS and not _HIRAGANA.match(form)
    return form, lower, is_content, spelling[0].isdigit() or lower in CARDINALS


def _read_tokens(unspaced: str) -> tuple[tuple[str, str, str, bool, bool, int, int], ...]:
    found = _pattern(unspaced).finditer(unspaced)
    return tuple([(token[0], *_word_of(token[0]), *token.span()) for token in found])


def _read_content(unspaced: str) -> tuple[str, ...]:
    words = map(_word_of, _pattern(unspaced).findall(unspaced))
    return tuple([form for form, _, is_content, _ in words if is_content])


# No token contains white space, and most pieces between white space repeat.
_word_of = WordCache(_read_word).__getitem__
_tokens_of = WordCache(_read_tokens).__getitem__
_content_of = WordCache(_read_content).__getitem__
