"""What is asked again and again of the same words and facts, remembered."""

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from typing import Any, Generic, TypeVar

_REMEMBERED = 65_536
_REMEMBERED_CHARS = 40
"""Bounds on memory, some tens of MB at the very most; a language in daily use needs less."""

_OVERHEAD_CHARS = 50
"""What remembering a fact takes besides, as characters."""

_Facts = TypeVar("_Facts", bound=str | tuple[str, ...])
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


class Sought(dict[str, str | None]):
    """The forms of words as far as they are sought, for as long as one text is read.

    Args:
      form_of: the form of a word.
      sought: the forms that matter.
    """

    def __init__(self, form_of: Callable[[str], str], sought: AbstractSet[str]) -> None:
        super().__init__()
        self._form_of = form_of
        self._sought = sought

    def __missing__(self, word: str) -> str | None:
        form = self._form_of(word)
        value = self[word] = form if form in self._sought else None
        return value

    def among(self, words: Iterable[str]) -> list[str | None]:
        """Return the form of each of some words, None for one that is not sought."""
        if len(self) > _REMEMBERED:
            self.clear()
        return list(map(self.__getitem__, words))


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


class FactMemory(dict[_Facts, _Value]):
    """What a pure function read of a fact, or of the facts of an answer.

    Half of it is forgotten when it is full, the half that was asked for longest ago.

    A popular source, or a long answer's, comes again and again. Bounded by characters: by number,
    memory would grow with the longest facts there are. What is read of a fact takes some 40 bytes a
    character, and in Chinese 240.

    Args:
      function: what is read; its result must not be changed by anybody.
      most_chars: of all remembered facts together.
    """

    def __init__(self, function: Callable[[_Facts], _Value], most_chars: int = 300_000) -> None:
        super().__init__()
        self._function = function
        self._most_chars = most_chars // 2
        self._chars = 0
        self._older: dict[_Facts, _Value] = {}

    def __missing__(self, facts: _Facts) -> _Value:
        value = self._older.get(facts)
        if value is None:
            value = self._function(facts)
        chars = _OVERHEAD_CHARS + (len(facts) if isinstance(facts, str) else sum(map(len, facts)))
        if self._chars + chars > self._most_chars:
            self._older = self.copy()
            self.clear()
            self._chars = 0
        if chars <= self._most_chars:
            self[facts] = value
            self._chars += chars
        return value
