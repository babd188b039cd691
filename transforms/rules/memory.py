"""What is asked again and again of the same words and facts, remembered."""

from collections.abc import Callable
from typing import TypeVar

_REMEMBERED = 65_536
_REMEMBERED_CHARS = 40
"""Bounds on memory, some tens of MB at the very most; a language in daily use needs less."""

REMEMBERED_FACTS = 256
"""More than one request holds: a popular source, or a long answer's, comes again and again."""

_Value = TypeVar("_Value")


class Memory(dict[str, _Value]):
    """What a pure function returned for the words seen so far; emptied when full.

    A look-up takes half as long as one of `functools.lru_cache`.

    Args:
      function: what is asked of a word; its result must not be changed by anybody.
    """

    def __init__(self, function: Callable[[str], _Value]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, word: str) -> _Value:
        value = self._function(word)
        if len(word) <= _REMEMBERED_CHARS:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[word] = value
        return value
