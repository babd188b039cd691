"""Find values in parsed JSON by paths of a subset of JSONPath (RFC 9535).

A field is found in either letter case, and paths go on inside a text of JSON. No library of
JSONPath does either.
"""

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, takewhile
from typing import Any

from groundwatch.schemas import Record
from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.wire.json_input import (
    JSON_START,
    camel_case_name,
    encoded_once,
    read_json,
    whole_number,
)
from groundwatch.schemas.wire.wire_type import reject_repeated

_STEP = re.compile(
    r"""
    \.(?P<all>\*)
    | \.(?P<name>[\w$@:-]+)
    | \[\s*(?:
        (?P<every>\*)
        | (?P<index>-?\d{1,9})
        | (?P<quoted>'[^']*'|"[^"]*")
        | (?P<several>'[^']*'(?:\s*,\s*'[^']*')+)
        | \?\s*\(?\s*@(?P<inner>[^=!()\s]+)\s*(?P<operator>[=!]=)\s*
          (?P<literal>'[^']*'|"[^"]*"|-?\d+|true|false)\s*\)?
    )\s*\]
    """,
    re.VERBOSE,
)
# Nothing in them can match in two ways, so that hostile text costs linear time.
_PYTHON_TEXT = re.compile(r"""'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+\"""")
_PYTHON_ITEM = re.compile(rf"{_PYTHON_TEXT.pattern}|None|nan")
_PYTHON_LIST = re.compile(rf"\[\s*+(?:(?:{_PYTHON_ITEM.pattern})\s*+,?+\s*+)*+\]")
MISSING = frozenset({"nan", "NaN", "None", "null", "NULL", "NaT", "<NA>"})
"""How pandas and Python write a cell that is empty."""

_EMPTY: tuple[object, ...] = ("", None, [], {}, *sorted(MISSING))
TEXT_BLOCKS = (None, "text", "input_text", "output_text")
"""The types of the blocks of a content that are its text."""
_MODELS = ("ai", "assistant")


class Every(Record, frozen=True):
    """Select all items of a list, or all fields of an object."""


class Filter(Record, frozen=True):
    """Select the items in which a path finds a value, or does not find it."""

    path: "JsonPath"
    literal: object
    is_equal: bool

    def selects(self, item: object) -> bool:
        """Return whether an item is one of those."""
        return (self.literal in self.path.find(item)) is self.is_equal


PathStep = str | tuple[str, ...] | int | Every | Filter
"""The name of a field or the names of several, the place of an item, or what selects some."""


class JsonPath(Record, frozen=True):
    """A path such as ``$.documents[*].text``, as its text and its steps.

    The first steps that name fields are apart: most paths of a preset end there, at a field that a
    row does not have. A path that filters messages by a model as their author finds its turns.
    """

    text: str
    names: tuple[str, ...]
    others: tuple[PathStep, ...]
    finds_turns: bool = False

    @property
    def steps(self) -> tuple[PathStep, ...]:
        """All steps."""
        return (*self.names, *self.others)

    @property
    def first_name(self) -> str:
        """The field of the outermost object that the path leads through, "" if it names none."""
        return self.names[0] if self.names else ""

    def find(self, value: object) -> list[object]:
        """Return the values that the path finds, in their order; none where it leads nowhere."""
        found = self._find_named(value)
        return self._find_below(found) if found else found

    def find_parts(self, value: object) -> list[object]:
        """Return the values that the path finds; None stands between those that are separate.

        Blocks of text are parts of one text if nothing else is between them in their list. All
        other values are separate, such as messages.
        """
        named = self._find_named(value)
        if not named:
            return []
        ways = _around_blocks(self) if self.others else None
        if ways is None:
            groups = [[each] for each in self._find_below(named)]
        else:
            to_list, block, to_text = ways
            groups = [
                [
                    text
                    for item in items
                    for text in (to_text.find(item) if block.selects(item) else [None])
                ]
                for each in to_list.find(value)
                if isinstance(items := read_text_as_json(each), list)
            ]
        return [part for group in groups for part in (None, *group)][1:]

    def finds_empty(self, value: object) -> bool:
        """Return whether what the path names is there, and empty."""
        steps = self.steps
        while steps and isinstance(steps[-1], Every):
            steps = steps[:-1]
        found = [read_text_as_json(each) for each in _path(self.text, steps).find(value)]
        lists = (each if isinstance(each, list) else [each] for each in found)
        return bool(found) and all(item in _EMPTY for item in chain.from_iterable(lists))

    def leads_to_any(self, value: object) -> bool:
        """Return whether what the path names is there, or empty at some step of its way."""
        ways = (_path(self.text, self.steps[:end]) for end in range(1, len(self.steps) + 1))
        return bool(self.find(value)) or any(way.finds_empty(value) for way in ways)

    def _find_below(self, found: list[object]) -> list[object]:
        """Return the values that the other steps find below those that the names lead to."""
        for step in self.others:
            found = [each for item in found for each in _select(step, read_text_as_json(item))]
        for each in found:
            reject_repeated(each)
        return found

    def _find_named(self, value: object) -> list[object]:
        """Return the value of the first fields that the path names; none if one is missing."""
        for name in self.names:
            found = _field(value if isinstance(value, dict) else read_text_as_json(value), name)
            if not found:
                return []
            value = found[0]
        return [value]


def next_steps(
    steps: tuple[PathStep, ...], *, name: str = "", place: tuple[int, int] = (0, 0), value: object
) -> Iterator[tuple[PathStep, ...]]:
    """Yield the steps that are left of a path behind a field, or behind an item at its place.

    The place is the number of the item and the count of all.
    """
    step, rest = steps[0], steps[1:]
    holder: object = {camel_case_name(name): value} if name else [value]
    if isinstance(step, str) and "." in step and name.startswith(f"{step}."):
        yield ()
    elif isinstance(step, int) and not name:
        if step in (place[0], place[0] - place[1]):
            yield rest
    elif any(True for _ in _select(step, holder)):
        yield rest


@lru_cache(maxsize=1024)  # paths that are tried have names of messages
def json_path(text: str) -> JsonPath:
    """Parse a path; raise ValueError if it is not of the subset."""
    if not text.startswith("$"):
        raise ValueError(f"a path begins with $, such as $.{text.lstrip('.')[:40]}")
    steps: list[PathStep] = []
    end = 1
    while end < len(text):
        match = _STEP.match(text, end)
        if match is None:
            raise ValueError(
                f"the path is not understood from {text[end : end + 20]!r}: it may hold .NAME,"
                " ['NAME'], ['NAME', 'NAME'], [0], [-1], [*] and [?(@.NAME=='TEXT')]"
            )
        steps.append(_step(match))
        end = match.end()
    return _path(text, steps)


def _path(text: str, steps: Sequence[PathStep]) -> JsonPath:
    names = tuple(takewhile(lambda step: isinstance(step, str), steps))
    finds_turns = any(
        isinstance(step, Filter) and step.is_equal and step.literal in _MODELS for step in steps
    )
    return JsonPath(text, tuple(map(str, names)), tuple(steps[len(names) :]), finds_turns)


def value_at(value: Any, names: str) -> Any:
    """Return the value at names of nested objects, which dots separate; None if there is none."""
    for name in names.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def read_text_as_json(value: object) -> object:
    """Parse a string that holds a list or an object as JSON; return any other value as it is.

    It may be encoded several times. Tables that pandas writes hold lists of texts as Python prints
    them. Names of fields keep their spelling, other than in `read_if_json`.
    """
    if not isinstance(value, str) or value[:1].isalnum() or not JSON_START.match(value):
        return value
    try:
        found = read_json(value.encode())
        return read_json(encoded_once(found).encode()) if isinstance(found, str) else found
    except (UnicodeEncodeError, UnreadableAnswer):
        return _read_python_list(value)


def _read_python_list(text: str) -> object:
    """Parse a list of texts as Python prints it, some missing; return any other text as it is."""
    if not _PYTHON_LIST.fullmatch(text.strip()):
        return text
    items = (item for item in _PYTHON_ITEM.findall(text) if item not in ("None", "nan"))
    try:
        return [ast.literal_eval(item) for item in items]
    except (SyntaxError, ValueError):  # of an escape
        return text


def _step(match: re.Match[str]) -> PathStep:
    if match["all"] or match["every"]:
        return Every()
    if match["index"]:
        return int(match["index"])
    if match["inner"]:
        text = match["literal"]
        literal = text[1:-1] if text[0] in "'\"" else json.loads(text)
        return Filter(json_path(f"${match['inner']}"), literal, match["operator"] == "==")
    if match["several"]:
        return tuple(re.findall("'([^']*)'", match["several"]))
    return match["name"] or match["quoted"][1:-1]


def _select(step: PathStep, value: object) -> Iterable[object]:
    if isinstance(step, str):
        return _field(value, step)
    if isinstance(step, int):
        return value[step : step + 1 or None] if isinstance(value, list) else ()
    if isinstance(step, tuple):
        return [each for name in step for each in _field(value, name)]
    lists: list[object] = value if isinstance(value, list) else []
    items: Iterable[object] = value.values() if isinstance(value, dict) else lists
    return items if isinstance(step, Every) else filter(step.selects, items)


@lru_cache(maxsize=1024)
def _around_blocks(path: JsonPath) -> tuple[JsonPath, Filter, JsonPath] | None:
    """Split a path around the step that selects the texts of a content, by type or no thought."""
    for number, step in enumerate(path.steps):
        if isinstance(step, Filter):
            is_text = step.literal in TEXT_BLOCKS if step.is_equal else step.literal is True
            if is_text:
                before, behind = path.steps[:number], path.steps[number + 1 :]
                return _path(path.text, before), step, _path(path.text, behind)
    return None


def _field(value: object, name: str) -> tuple[object, ...]:
    if not isinstance(value, dict):
        return ()
    if name in value:
        return (value[name],)
    if (camel := camel_case_name(name)) in value:
        return (value[camel],)
    items = _numbered_items(value, f"{name}.") if "." in name else []
    return (items,) if items else ()


def _numbered_items(fields: Mapping[str, object], prefix: str) -> list[object]:
    """Return the items that attributes of OpenTelemetry hold as `documents.0.id`."""
    items: dict[int, dict[str, object]] = {}
    for name in fields:
        if name.startswith(prefix):
            written, _, inner = name.removeprefix(prefix).partition(".")
            if inner and (number := whole_number(written)) is not None:
                items.setdefault(number, {})[inner] = fields[name]
    return [items[number] for number in sorted(items)]
