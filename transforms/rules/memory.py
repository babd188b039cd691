"""What is asked again and again of the same words and facts, remembered."""

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

_REMEMBERED = 65_536
_REMEMBERED_CHARS = 40
"""Bounds on memory, some tens of MB at the very most; a language in daily use needs less."""

REMEMBERED_FACTS = 256
"""More than one request holds: a popular source, or a long answer's, comes again and again."""

_REMEMBERED_TOGETHER = 64
_REMEMBERED_TOGETHER_CHARS = 50_000
"""Facts of more characters are not remembered together: of such an answer, reading is most of the
work anyway, and memory would grow with the archive's worst."""

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Bounded(dict[_Key, _Value]):
    """A dictionary that is emptied when full.

    Args:
      most: so many keys it holds at most.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def remember(self, key: _Key, value: _Value) -> None:
        """Keep a value."""
        if len(self) >= self._most:
            self.clear()
        self[key] = value


class Memory(Bounded[str, _Value]):
    """What a pure function returned for the words seen so far.

    A look-up takes half as long as one of `functools.lru_cache`.

    Args:
      function: what is asked of a word; its result must not be changed by anybody.
    """

    def __init__(self, function: Callable[[str], _Value]) -> None:
        super().__init__(_REMEMBERED)
        self._function = function

    def __missing__(self, word: str) -> _Value:
        value = self._function(word)
        if len(word) <= _REMEMBERED_CHARS:
            self.remember(word, value)
        return value


def are_remembered(facts: tuple[str, ...]) -> bool:
    """Tell whether what is read of some facts together is remembered."""
    return sum(map(len, facts)) <= _REMEMBERED_TOGETHER_CHARS


def remembered_together(
    read: Callable[[tuple[str, ...]], _Value],
) -> Callable[[tuple[str, ...]], _Value]:
    """Remember what a pure function reads of the facts of an answer, unless they are long.

    Args:
      read: takes the texts of all facts; its result must not be changed by anybody.
    """
    remembered = lru_cache(maxsize=_REMEMBERED_TOGETHER)(read)

    def of(facts: tuple[str, ...]) -> _Value:
        return (remembered if are_remembered(facts) else read)(facts)

    return of
