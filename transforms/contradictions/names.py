"""Names: words with a capital that begin nothing."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from transforms.contradictions.dates import MONTHS, WEEKDAYS
from transforms.contradictions.statement import Statement, Token

_LEAST_CHARS = 2
_LIKE_NAME = re.compile(r"[^\W\d_a-z][^\W\d_]+")
_NEAR = 4
"""So many tokens away words belong to a name: directed by the great Alan Turing."""


class Name(NamedTuple):
    """A run of words with capitals, such as Alan Turing.

    Attributes:
      text: as it is written.
      tokens: its words.
      around: the forms of the nearest words that say something, before it and behind it.
    """

    text: str
    tokens: tuple[Token, ...]
    around: tuple[str | None, str | None]

    def stands_like(self, other: "Name") -> bool:
        """Whether the same word stands before or behind both, or both share a word."""
        beside = zip(self.around, other.around, strict=True)
        forms = {token.form for token in self.tokens}
        return any(own is not None and own == its for own, its in beside) or any(
            token.form in forms for token in other.tokens
        )


def name_at_start(word: str) -> str:
    """Return what could be a name, or some other word with a capital, at the front of a word.

    Args:
      word: what stands between white space.

    Returns:
      Empty without any.
    """
    found = _LIKE_NAME.match(word)
    return found[0] if found else ""


def read_names(statement: Statement) -> Iterator[Name]:
    """Find the names of a statement; its first word is none, nor is one behind a colon."""
    first = None
    for place, token in enumerate(statement.tokens):
        goes_on = first is not None and not _is_apart(statement, place)
        if first is not None and not (goes_on and _is_name(token)):
            yield _name(statement, first, place)
            first = None
        if first is None and _is_name(token) and not _begins(statement, place):
            first = place
    if first is not None:
        yield _name(statement, first, len(statement.tokens))


def _name(statement: Statement, first: int, behind: int) -> Name:
    tokens = statement.tokens
    before = (t.form for t in reversed(tokens[max(0, first - _NEAR) : first]) if t.word.is_content)
    after = (t.form for t in tokens[behind : behind + _NEAR] if t.word.is_content)
    return Name(
        text=statement.between(tokens[first], tokens[behind - 1]),
        tokens=tuple(tokens[first:behind]),
        around=(next(before, None), next(after, None)),
    )


def _is_name(token: Token) -> bool:
    return (
        token.text[0].isupper()
        and len(token.text) >= _LEAST_CHARS
        and token.word.is_content
        and token.text not in MONTHS
        and token.text not in WEEKDAYS
    )


def _is_apart(statement: Statement, place: int) -> bool:
    return statement.breaks_between(statement.tokens[place - 1], statement.tokens[place])


def _begins(statement: Statement, place: int) -> bool:
    """Tell whether something begins with a word, so that its capital means nothing."""
    if not place:
        return True
    tokens = statement.tokens
    return any(
        mark in '.:!?"\u201c('
        for mark in statement.text[tokens[place - 1].end : tokens[place].start]
    )
