"""Put another name in the place of one that a statement has."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from groundwatch.transforms.changes.english import BEING, HAVING, MODALS, WEEKDAYS
from groundwatch.transforms.changes.statement import Source, Statement, pick, words_in
from groundwatch.transforms.lexical.dates import MONTHS_IN_ENGLISH
from groundwatch.transforms.lexical.phrases import STOP_WORDS

_WORD = r"[A-Z][A-Za-z\u00c0-\u024f]*(?:[-'\u2019][A-Z][a-z]+)*"
_NAME = re.compile(
    r"(?P<before>\b(?i:in|at|from|near|to|by|the|an?|of|for|with|on|our|your|any) |^)"
    # A point ends the statement, or is a part of the name: "Washington D.C."
    rf"(?P<name>{_WORD}(?: {_WORD}){{0,3}})(?=\.\W*$|[;)]|,(?! [A-Z])| (?P<next>[a-z]+)\b)"
)
_PREPOSITIONS = frozenset({"in", "at", "from", "near", "to", "by"})
"""Words before a name that say something of what it names; behind "of" stands anything."""

_ARTICLES = frozenset({"a", "an"})

_MIN_CHARS, _MIN_NOUN = 3, 4
NO_NAMES = frozenset({*MONTHS_IN_ENGLISH, *map(str.lower, WEEKDAYS)}) | STOP_WORDS
_PLAIN_WORDS = re.compile(r"(?<![\w-])[a-z]+(?![\w-])")
_VERBS = BEING | HAVING | MODALS | {"does", "did"}

Place = tuple[str, str, bool, bool]
"""The words before and behind, whether all letters are capitals, and whether it is one word."""


class _Found(NamedTuple):
    """A name in a statement, and where it begins, in characters."""

    name: str
    start: int
    place: Place


class Names:
    """The names in some statements, by the kind of place where they stand."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        english = [each for each in statements if each.is_english]
        lower = {word for each in english for word in _PLAIN_WORDS.findall(each.text)}
        found = [each for statement in english for each in _names(statement.text)]
        inside = {each.name for each in found if each.start}
        # What is also written in lower case is a word, and has its capital for another reason.
        self._known = {
            name for name in inside if not any(part.lower() in lower for part in name.split())
        }
        self._by_place: dict[Place, set[str]] = {}
        for each in found:
            if each.name in self._known:
                self._by_place.setdefault(each.place, set()).add(each.name)

    def change(self, statement: Statement) -> str | None:
        """Put a name of another fact in the place of one.

        Both stand in their texts before the same noun ("the Basic plan"), behind the same article
        if it is "a" or "an"; or before none and behind the same preposition ("in Paris"); or first
        of all and before the same verb. None for a statement that is not English, or without such a
        name.
        """
        if not statement.is_english:
            return None
        options = [
            (found, other)
            for found in _names(statement.text)
            if found.name in self._known
            for other in sorted(self._by_place[found.place])
            if not _are_related(found.name, other) and not _is_in(other, statement.source)
        ]
        chosen = pick(options, statement.digest, "name")
        if chosen is None:
            return None
        found, other = chosen
        behind = statement.text[found.start + len(found.name) :]
        return f"{statement.text[: found.start]}{other}{behind}"


def _names(text: str) -> Iterator[_Found]:
    """Find the names that stand at a place where names of one kind stand."""
    for found in _NAME.finditer(text):
        name, before, behind = found["name"], found["before"].strip().lower(), found["next"] or ""
        if len(name) < _MIN_CHARS or any(word.lower() in NO_NAMES for word in name.split()):
            continue
        if behind in {"and", "or"}:
            # What is joined may be of another kind.
            continue
        if not before:
            place = ("", behind) if behind in _VERBS else None
        elif behind and behind not in STOP_WORDS:
            article = before if before in _ARTICLES else ""
            place = (article, behind) if len(behind) >= _MIN_NOUN else None
        else:
            place = (before, "") if before in _PREPOSITIONS else None
        if place:
            yield _Found(name, found.start("name"), (*place, name.isupper(), " " not in name))


def _are_related(name: str, other: str) -> bool:
    """Return whether two names may be of one thing: a part of the other, or its initials."""
    own, its = ({word.lower() for word in each.split()} for each in (name, other))
    is_short = _initials(name) == other.lower() or _initials(other) == name.lower()
    is_part = name.lower() in other.lower() or other.lower() in name.lower()
    return bool(own & its) or is_short or is_part


def _initials(name: str) -> str:
    return "".join(word[0] for word in name.split()).lower()


def _is_in(name: str, source: Source) -> bool:
    """Return whether a fact has a name, or a word of it."""
    return not source.words.isdisjoint(words_in(name))
