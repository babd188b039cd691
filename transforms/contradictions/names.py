"""Read names: words with a capital that do not begin a sentence or quotation."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from transforms.contradictions.dates import MONTHS, WEEKDAYS
from transforms.contradictions.tokenized_text import Token, TokenizedText

_MIN_CHARS = 2
_LIKE_NAME = re.compile(r"[^\W\d_a-z][^\W\d_]+")
_BEGINNING_MARKS = frozenset('.:!?"\u201c(')
_NEAR = 4  # the context of a name, in tokens: directed by the great Alan Turing


class Name(NamedTuple):
    """A sequence of words with capitals, such as Alan Turing.

    `around` are the forms of the nearest content words before and behind it.
    """

    text: str
    tokens: tuple[Token, ...]
    around: tuple[str | None, str | None]

    def is_like(self, other: "Name") -> bool:
        """Return whether the names share a word, or the word before or behind them."""
        beside = zip(self.around, other.around, strict=True)
        forms = {token.form for token in self.tokens}
        return any(own is not None and own == its for own, its in beside) or any(
            token.form in forms for token in other.tokens
        )


def name_at_start(word: str) -> str:
    """Return the letters at the start of a word that may be a name; empty if there are none."""
    found = _LIKE_NAME.match(word)
    return found[0] if found else ""


def read_names(sentence: TokenizedText) -> Iterator[Name]:
    """Yield the names of a sentence, except at its start and behind a colon."""
    tokens, first = sentence.tokens, None
    for place, token in enumerate(tokens):
        is_name = _is_name(token)
        if first is not None and (not is_name or sentence.breaks_between(tokens[place - 1], token)):
            yield _name(sentence, first, place)
            first = None
        if first is None and is_name and place:
            # The capital at the start of a sentence or quotation means nothing.
            gap = sentence.text[tokens[place - 1].end : token.start]
            first = place if _BEGINNING_MARKS.isdisjoint(gap) else None
    if first is not None:
        yield _name(sentence, first, len(tokens))


def _name(sentence: TokenizedText, first: int, behind: int) -> Name:
    tokens = sentence.tokens
    before = (t.form for t in reversed(tokens[max(0, first - _NEAR) : first]) if t.is_content)
    after = (t.form for t in tokens[behind : behind + _NEAR] if t.is_content)
    return Name(
        text=sentence.between(tokens[first], tokens[behind - 1]),
        tokens=tuple(tokens[first:behind]),
        around=(next(before, None), next(after, None)),
    )


def _is_name(token: Token) -> bool:
    text = token.text
    is_capital = text[0].isupper() and len(text) >= _MIN_CHARS and token.is_content
    return is_capital and text not in MONTHS and text not in WEEKDAYS
