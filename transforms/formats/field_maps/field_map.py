"""Find the fields of an answer in parsed JSON, by one path or several for each.

The maps are the user's own, and the presets for other tools.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

from msgspec.structs import replace

from groundwatch.schemas import Record
from groundwatch.schemas.answer import Fact
from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.transforms.formats.finish_reasons import ERROR, REFUSAL
from groundwatch.transforms.formats.text_parts import join_parts
from .fact_values import read_facts
from .json_path import MISSING, TEXT_BLOCKS, JsonPath, json_path, read_text_as_json

FIELDS: tuple[str, ...] = (
    *("query", "answer", "facts", "document", "id", "time"),
    *("engine", "session", "trace", "span", "response", "finish_reason", "refusal", "error"),
)
PathPairs = tuple[tuple[str, str], ...]
"""Pairs of a field and its path; several paths of one field are tried in their order."""

_MAX_NAMED_PATHS = 5
ALTERNATIVES = re.compile(r"\s+\|\s+")
"""What separates the paths of a field."""


class FieldMap(Record, frozen=True):
    """The paths of each field; the first path that finds a text counts, of facts every path.

    The fields `ignored`, in lowerCamelCase, hold neither the answer nor its facts. `candidates`
    finds all answers, where only the first is read. `prompt` finds the texts of the request, and
    `separator` stands between facts in a text. `shapes_at` are the fields whose content may have
    any of several shapes, which many paths go through.
    """

    paths: dict[str, tuple[JsonPath, ...]]
    ignored: frozenset[str] = frozenset()
    candidates: JsonPath | None = None
    prompt: tuple[JsonPath, ...] = ()
    separator: str = ""
    shapes_at: tuple[str, ...] = ()

    @property
    def first_names(self) -> set[str]:
        """The fields of the outermost object that the paths begin with."""
        return {path.first_name for paths in self.paths.values() for path in paths}

    def replaced_by(self, other: "FieldMap") -> "FieldMap":
        """Return this map with the paths of another one, where that has any."""
        return replace(self, paths=self.paths | other.paths)

    def find(self, field: str, value: object) -> list[object]:
        """Return the values of a field."""
        paths = self.paths.get(field, ())
        if not paths:
            return []
        if field == "facts":
            return list(chain.from_iterable(path.find(value) for path in paths))
        return _first_text_of(path.find(value) for path in paths)

    def open(self, value: object) -> object:
        """Parse the texts of JSON that many paths go through, once."""
        fields = value if isinstance(value, dict) else {}
        texts = {name: read_text_as_json(fields[name]) for name in self.shapes_at if name in fields}
        return fields | texts if texts else value

    def text(self, field: str, value: object) -> str:
        """Return the text of a field, "" if there is none; texts that are separate are joined.

        Of the turns of a model in a conversation the last counts. An object of a known shape may
        have no text, any other is an error.
        """
        parts = _first_text_of(_texts_at(path, value) for path in self.paths.get(field, ()))
        allowed = str | dict | list | None if self.shapes_at else str | None
        for each in parts:
            if not isinstance(each, allowed):
                kind = "an object" if isinstance(each, dict) else f"a {type(each).__name__}"
                raise UnreadableAnswer(f"The {field}{self.describe(field)} is {kind}, not a text.")
        text = join_parts(map(_text_or_none, parts))
        return "" if text.strip() in MISSING else text

    def end_words(self, value: object) -> Iterator[str]:
        """Yield the producer's words for why the answer ended; of several the last."""
        for field in (REFUSAL, ERROR):
            if any(self.find(field, value)):
                yield field
        for path in self.paths.get("finish_reason", ()):
            yield from [each for each in path.find(value) if isinstance(each, str)][-1:]

    def facts(self, value: object) -> Iterator[Fact | None]:
        """Read the facts, as `read_facts` does."""
        return read_facts(self.find("facts", value), self.separator)

    def reads(self, value: object) -> bool:
        """Return whether the map finds an answer in parsed JSON."""
        return bool(self.find("answer", value))

    def has_text(self, field: str, value: object) -> bool:
        """Return whether the map finds a text, or a number, as a field."""
        return _has_text(self.find(field, value))

    def has_several(self, value: object) -> bool:
        """Return whether there are answers that are not read."""
        return self.candidates is not None and len(self.candidates.find(value)) > 1

    def is_empty(self, field: str, value: object) -> bool:
        """Return whether a field is at each of its paths, and empty."""
        paths = self.paths.get(field, ())
        return bool(paths) and all(
            path.finds_empty(value) or "" in map(_joined_blocks, path.find(value)) for path in paths
        )

    def finds_any(self, value: object) -> bool:
        """Return whether some path of the answer or its facts finds a value."""
        return any(self.find(field, value) for field in ("answer", "facts"))

    def prompts(self, value: object) -> list[str]:
        """Return the texts of the prompt."""
        found = (_joined_blocks(each) for path in self.prompt for each in path.find(value))
        return [each for each in found if isinstance(each, str)]

    def describe(self, field: str) -> str:
        """Say where a field should be, such as `` at $.answer``; "" if no path is known."""
        paths = [path.text for path in self.paths.get(field, ())]
        others = ["others"] if len(paths) > _MAX_NAMED_PATHS else []
        return f" at {' or '.join(paths[:_MAX_NAMED_PATHS] + others)}" if paths else ""


def _joined_blocks(value: object) -> object:
    """Join the texts of a content that is a list of blocks; return any other value as it is."""
    if not isinstance(value, list):
        return value
    texts = [_text_or_none(_text_of_block(each)) for each in value]
    return value if value and texts.count(None) == len(texts) else join_parts(texts)


def _text_of_block(block: object) -> object:
    if not isinstance(block, dict):
        return block
    return block.get("text") if block.get("type") in TEXT_BLOCKS else None


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _first_text_of(found: Iterable[list[object]]) -> list[object]:
    """Return the first values among which is a text, else the first that are any."""
    first: list[object] = []
    for each in filter(None, found):
        joined = list(map(_joined_blocks, each))
        if _has_text(joined):
            return joined
        first = first or joined
    return first


def _texts_at(path: JsonPath, value: object) -> list[object]:
    parts = path.find_parts(value)
    if not path.finds_turns:
        return parts
    return [each for each in parts if _has_text([_joined_blocks(each)])][-1:]


def _has_text(found: list[object]) -> bool:
    return any(
        each is not None and not isinstance(each, dict | list) and str(each).strip()
        for each in found
    )


@lru_cache(maxsize=256)
def parse_map(pairs: PathPairs, ignored: tuple[str, ...] = ()) -> FieldMap:
    """Parse a field map; raise ValueError if a field or a path is none."""
    paths: dict[str, tuple[JsonPath, ...]] = {}
    for field, text in pairs:
        if field not in FIELDS:
            raise ValueError(f"{field} is not one of {', '.join(FIELDS)}")
        found = tuple(map(json_path, ALTERNATIVES.split(text)))
        paths[field] = (*paths.get(field, ()), *found)
    return FieldMap(paths, frozenset(ignored))
