"""Caches for pure functions of words and facts, bounded in size."""

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from typing import Any, Generic, TypeVar

_MAX_WORD_CHARS = 40
_BYTES_OF_WORD, _BYTES_OF_CHAR = 110, 10  # what an entry for a word takes besides its value
_OVERHEAD_CHARS = 50  # what an entry for a fact takes besides its text, as characters
_MAX_WANTED = 20_000

_Facts = TypeVar("_Facts", bound=str | tuple[str, ...])
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class CachedAttribute(Generic[_Value]):
    """Compute an attribute at its first use; `cached_property` of Python 3.11 takes a lock.

    Two threads may both compute it, so the function must be pure.
    """

    def __init__(self, function: Callable[[Any], _Value]) -> None:
        self._function = function
        self._name = function.__name__
        self.__doc__ = function.__doc__

    def __get__(self, owner: object, _: type) -> _Value:
        value = owner.__dict__[self._name] = self._function(owner)
        return value


class _RecentResults(dict[_Key, _Value]):
    """Cache the results of a pure function, never None, twice as fast as `functools.lru_cache`.

    When it is full, the half that was used least recently is dropped.
    """

    def __init__(self, function: Callable[[_Key], _Value], max_size: int) -> None:
        super().__init__()
        self._function = function
        self._max_size = max_size // 2
        self._size = 0
        self._older: dict[_Key, _Value] = {}

    def __missing__(self, key: _Key) -> _Value:
        value = self._older.pop(key, None)
        if value is None:
            value = self._function(key)
        size = self._size_of(key)
        if size <= self._max_size:
            if self._size + size > self._max_size:
                self._older = self.copy()
                self.clear()
                self._size = 0
            self[key] = value
            self._size += size
        return value

    def _size_of(self, key: Any) -> int:
        raise NotImplementedError


class WordCache(_RecentResults[str, _Value]):
    """Cache the results of a pure function of a word, but not of one beyond 40 characters.

    Numbers and names would fill any cache, so about `max_bytes` are kept: of the words and, each of
    about `bytes_of_value`, of the results.
    """

    def __init__(
        self, function: Callable[[str], _Value], max_bytes: int = 4_000_000, bytes_of_value: int = 0
    ) -> None:
        super().__init__(function, max_bytes)
        self._bytes_of_entry = _BYTES_OF_WORD + bytes_of_value

    def _size_of(self, key: str) -> int:
        if len(key) > _MAX_WORD_CHARS:
            return self._max_size + 1
        return self._bytes_of_entry + _BYTES_OF_CHAR * len(key)


class FactCache(_RecentResults[_Facts, _Value]):
    """Cache the results of a pure function of a fact, or of all facts of an answer.

    It is bounded by characters: a result takes some 40 bytes a character, and 240 in Chinese.
    Nobody may modify the results.
    """

    def __init__(self, function: Callable[[_Facts], _Value], max_chars: int = 300_000) -> None:
        super().__init__(function, max_chars)

    def _size_of(self, key: _Facts) -> int:
        return _OVERHEAD_CHARS + (len(key) if isinstance(key, str) else sum(map(len, key)))


class WantedForms(dict[str, str | None]):
    """Map words to their forms, and to None if a form is not among the wanted ones."""

    def __init__(self, form_of: Callable[[str], str], wanted: AbstractSet[str]) -> None:
        super().__init__()
        self._form_of = form_of
        self._wanted = wanted

    def __missing__(self, word: str) -> str | None:
        form = self._form_of(word)
        value = self[word] = form if form in self._wanted else None
        return value

    def of(self, words: Iterable[str]) -> list[str | None]:
        """Return the form of each word, None for one that is not wanted."""
        if len(self) > _MAX_WANTED:
            self.clear()
        return list(map(self.__getitem__, words))
