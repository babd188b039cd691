"""What is asked again and again of the same words and facts, remembered."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Generic, TypeVar

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


class read_once(Generic[_Value]):  # noqa: N801 - used like functools.cached_property
    """A property that is read when first asked for, and then kept.

    `functools.cached_property` takes a lock in Python 3.11, which costs more than many a reading;
    two threads that read at once read the same.

    Args:
      read: what the property of an object is.
    """

    def __init__(self, read: Callable[[Any], _Value]) -> None:
        self._read = read
        self.__doc__ = read.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        """Learn under which name the object's dictionary, which is asked first, keeps it."""
        self._name = name

    def __get__(self, instance: object, owner: type) -> _Value:
        """Read and keep it."""
        value = instance.__dict__[self._name] = self._read(instance)
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
