"""Find the fields of an answer in parsed JSON, by one path or several for each.

The maps are the user's own, and the presets for other tools, which `presets.toml` lists.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Any

import msgspec
from msgspec.structs import replace

from groundwatch.schemas import Record
from groundwatch.schemas.answer import Fact
from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.wire.json_input import camel_case_name, has_any, read_if_json
from groundwatch.schemas.wire.wire_type import words
from groundwatch.transforms.formats.field_maps.json_path import (
    MISSING,
    TEXT_BLOCKS,
    JsonPath,
    json_path,
    read_text_as_json,
)
from groundwatch.transforms.formats.finish_reasons import (
    ERROR,
    REFUSAL,
    says_no_text,
    telling_reason,
)
from groundwatch.transforms.formats.text_parts import join_parts

FIELDS: tuple[str, ...] = (
    *("query", "answer", "facts", "document", "id", "time"),
    *("engine", "session", "trace", "span", "response", "finish_reason", "refusal", "error"),
)
PathPairs = tuple[tuple[str, str], ...]
"""Pairs of a field and its path; several paths of one field are tried in their order."""

_KINDS = (str, dict, type(None))
_OF_DOCUMENTS = frozenset({"node", "page_content"})  # in JSON that libraries dump
_WITHOUT_TEXT = ("image", "image_url", "input_image", "audio")
_MAX_NAMED_PATHS = 5
_SEPARATOR = re.compile(r"\s+\|\s+")


def _keys(*names: str) -> tuple[tuple[str, ...], ...]:
    """Split dotted names into the keys of nested objects, in both letter cases."""
    as_written = [tuple(name.split(".")) for name in names]
    in_camel_case = [tuple(map(camel_case_name, keys)) for keys in as_written]
    return tuple(dict.fromkeys((*in_camel_case, *as_written)))


_COLUMNS, _VALUES = _keys("column_name"), _keys("column_value")
# Where tools write the text of a source, what it is called and where it is.
_TEXTS = (
    *_keys("text", "page_content", "content.text", "content", "chunk_text", "passage", "snippet"),
    *_keys("node.text", "node.text_resource.text", "kwargs.page_content", "document.content"),
    *_keys("body", "cited_text", "fact_text", "stdout", "init_parameters.content", "resource.text"),
    *_keys("context"),
    ("document.content",),
)
_TEXTS_BY_NAME = {
    name: tuple(keys for keys in _TEXTS if keys[0] == name)
    for name in dict.fromkeys(keys[0] for keys in _TEXTS)
}
TEXT_NAMES = frozenset(_TEXTS_BY_NAME)
"""The fields in which the text of a fact is found."""
_TITLES = (
    *_keys("title", "document_title", "filename", "metadata.title", "metadata.file_name"),
    *_keys("meta.title", "meta.name", "node.metadata.file_name"),
)
_URIS = (
    *_keys("uri", "url", "link", "source", "metadata.source", "metadata.url", "metadata.uri"),
    *_keys("meta.url", "kwargs.metadata.source", "resource.uri", "location.s3_location.uri"),
    *_keys("location.web_location.url", "location.confluence_location.url"),
)
_DOCUMENTS = (*_keys("document_id", "file_id", "node.id_", "id", "doc_id"), ("document.id",))
SOURCE_NAMES = frozenset(
    {keys[0] for keys in (*_TITLES, *_URIS, *_DOCUMENTS) if len(keys) == 1}
).difference(TEXT_NAMES, {"node", "source"})
"""The fields in which a fact's title, address and document are found."""

_ABOUT_SOURCES = SOURCE_NAMES | {"score", "distance", "rank", "metadata", "source"}

# The only field of an object in which functions return something.
_ABSENT: tuple[object, ...] = ("", [], {})
_RETURNED = frozenset({"content", "output", "response", "result", "results"})
# What a tool of the Model Context Protocol returns. Source: its specification of 2025-06-18.
_STRUCTURED = "structuredContent"
_OF_TOOL_RESULT = frozenset({"content", "isError", _STRUCTURED, "_meta"})
_BESIDE_DOCUMENTS = _RETURNED | TEXT_NAMES | {"summary", "answer"}


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


def read_facts(found: Iterable[object], separator: str = "") -> Iterator[Fact | None]:
    """Read facts: texts, objects with a text, or lists of them, also as JSON in a text.

    An object without a text is None: it does not make the others unreadable.
    """
    for each in found:
        items = read_text_as_json(each)
        if isinstance(items, dict) and (inner := returned_items(items)) != [items]:
            items = [_as_text(each, items) for each in inner]  # of a tool
        if isinstance(items, str) and separator:
            items = items.split(separator)
        is_list = isinstance(items, list) and all(isinstance(item, _KINDS) for item in items)
        listed: Any = items if is_list else [each]
        for item in listed:
            yield from _facts_in(item)


def _as_text(item: object, returned: dict[str, Any]) -> object:
    """Write the object that a tool returned as JSON; other items are texts, or hold them."""
    is_structured = item is not None and item is returned.get(_STRUCTURED)
    return msgspec.json.encode(item, enc_hook=str).decode() if is_structured else item


def _facts_in(item: object) -> Iterator[Fact | None]:
    if isinstance(item, str):
        dumped = read_text_as_json(item)
        is_node = has_any(dumped, _OF_DOCUMENTS)
        if item.strip() not in MISSING and dumped not in _ABSENT:
            yield (read_fact(dumped) if is_node else None) or Fact(text=item)
    elif item is not None:  # tables write null for an item that is missing
        fact, inner = read_fact(item), _inner(item)
        if fact is not None or inner is None:
            yield fact
        for each in inner or () if fact is None else ():
            yield from _facts_in(each)


def _inner(item: Any) -> list[Any] | None:
    """Return what a source of Anthropic's API holds, nothing of a picture, None of other items."""
    if not isinstance(item, dict):
        return None
    source, found = item.get("source"), item.get("content")
    if isinstance(source, dict):
        given = {"text": source.get("data"), "content": source.get("content")}
        found = next((given[kind] for kind in given if kind == source.get("type")), None) or []
        found = [found] if isinstance(found, str) else found
    named = {name: item[name] for name in ("title", "source") if isinstance(item.get(name), str)}
    if isinstance(found, list):
        texts = [{"text": each} if isinstance(each, str) else each for each in found]
        return [named | each if isinstance(each, dict) else each for each in texts]
    return [] if is_media(item) else None


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


@cache
def parse_map(pairs: PathPairs, ignored: tuple[str, ...] = ()) -> FieldMap:
    """Parse a field map; raise ValueError if a field or a path is none."""
    paths: dict[str, tuple[JsonPath, ...]] = {}
    for field, text in pairs:
        if field not in FIELDS:
            raise ValueError(f"{field} is not one of {', '.join(FIELDS)}")
        found = tuple(map(json_path, _SEPARATOR.split(text)))
        paths[field] = (*paths.get(field, ()), *found)
    return FieldMap(paths, frozenset(ignored))


def read_fact(item: object) -> Fact | None:
    """Read a fact from an object as any tool writes it; None if it has no text."""
    text = _joined_texts(item)
    if text is None and (cells := _cells_in(item)):
        text = "\n".join(cells)
    if text is None:
        return None
    sources = (_first_text(keys, item) or None for keys in (_TITLES, _URIS, _DOCUMENTS))
    title, uri, document = sources
    return Fact(text=text, title=title, uri=uri, document=document)


def _joined_texts(item: object) -> str | None:
    """Return the first text of an object, and behind it the others that it does not contain.

    A document may have a summary beside its body.
    """
    if not isinstance(item, dict):
        return None
    named = (paths for name, paths in _TEXTS_BY_NAME.items() if name in item)
    found = [text for paths in named if (text := _first_text(paths, item)) is not None]
    kept = found[:1]
    for text in found[1:]:
        if text.strip() and not any(text.strip() in other for other in kept):
            kept.append(text)
    return "\n\n".join(filter(str.strip, kept)) if found else None


def _cells_in(item: object) -> list[str]:
    """Return the cells of a row of a table, as Bedrock's knowledge bases on databases give it."""
    content = item.get("content", item) if isinstance(item, dict) else None
    row = content.get("row") if isinstance(content, dict) else None
    cells = row if isinstance(row, list) else []
    found = ((_first_text(_COLUMNS, cell), _first_text(_VALUES, cell)) for cell in cells)
    return [f"{name or ''}: {value}" for name, value in found if value]


def is_source_alone(item: object) -> bool:
    """Return whether an object says where a source is and how well it fits, without its text."""
    return isinstance(item, dict) and bool(item) and _ABOUT_SOURCES.issuperset(item)


def returned_items(returned: object) -> list[object]:
    """List what a tool returned: also JSON in a text, and what is in the field `documents`.

    Texts beside the documents are another fact.
    """
    returned = read_if_json(returned)
    if isinstance(returned, dict):
        filled = {name: field for name, field in returned.items() if field not in _ABSENT}
        if isinstance(documents := filled.get("documents"), list):
            beside = {name: filled[name] for name in filled if name in _BESIDE_DOCUMENTS}
            return [*documents, beside] if beside else documents
        if {"isError", _STRUCTURED}.intersection(filled) and _OF_TOOL_RESULT.issuperset(returned):
            blocks = returned_items(returned.get("content", []))
            structured = filled.get(_STRUCTURED)
            is_repeated = any(structured in (each, _json_in(each)) for each in blocks)
            return blocks if structured is None or is_repeated else [*blocks, structured]
        if len(filled) == 1 and not _RETURNED.isdisjoint(filled):
            [inner] = filled.values()
            return returned_items(inner)
    if isinstance(returned, str) and returned.strip() in MISSING:
        return []
    return returned if isinstance(returned, list) else [returned]


def _json_in(block: object) -> object:
    """Return the JSON that a block's text is, as which tools may repeat their object."""
    return read_if_json(block.get("text")) if isinstance(block, dict) else None


def is_media(item: object) -> bool:
    """Return whether a block of a content holds a picture or a sound, which has no text."""
    return isinstance(item, dict) and item.get("type") in _WITHOUT_TEXT


def _first_text(paths: Iterable[tuple[str, ...]], item: object) -> str | None:
    """Return the first text at some keys of nested objects; None if there is not even a blank."""
    blank = None
    for keys in paths:
        value = item
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, str):
            if value.strip():
                return value
            blank = ""
    return blank


class Preset(Record, frozen=True):
    """The field map of a tool, as `presets.toml` describes it; the rarest marks come first.

    `places` are pairs of a side, `input` or `output`, and a path where its shapes begin.
    """

    name: str
    marks: tuple[tuple[JsonPath, ...], ...]
    field_map: FieldMap
    comes_first: bool
    needs_text: bool
    type_name: str
    types: tuple[str, ...]
    places: PathPairs

    @property
    def rarest_names(self) -> frozenset[str]:
        """The fields of which some is in each row, and in few rows of other tools."""
        return frozenset(camel_case_name(marks[0].first_name) for marks in self.marks)

    def matches(self, value: Mapping[str, object]) -> bool:
        """Return whether parsed JSON, in camelCase, is a row of the tool."""
        return any(all(mark.find(value) for mark in marks) for marks in self.marks) and (
            not self.needs_text
            or _has_text(self.field_map.find("answer", value))
            or says_no_text(telling_reason(self.field_map.end_words(value)))
        )

    def reject_other(self, value: object) -> None:
        """Raise UnreadableAnswer for a row of another type than an answer, such as a search."""
        kind = value.get(self.type_name) if isinstance(value, dict) else None
        if self.types and kind not in self.types:
            raise UnreadableAnswer(
                f"The message is not recognised as an answer: the {self.type_name} of the row of"
                f" {self.name} is {str(kind)[:40]!r}. Export only rows of {', '.join(self.types)}."
            )


def _preset(
    name: str, *, marks: str, comes_first: bool = False, needs_text: bool = False, **others: Any
) -> Preset:
    pairs = [(field, others.pop(field)) for field in FIELDS if field in others]
    places = tuple(
        (side, place) for side in _SHAPES for place in words(others.pop(f"{side}_at", ""))
    )
    for side, place in places:
        pairs += [(field, path.replace("$", place)) for field, path in _SHAPES[side]]
    type_name, types = others.pop("type_name", ""), words(others.pop("types", ""))
    ignored, candidates = words(others.pop("ignored", "")), others.pop("candidates", "")
    field_map = replace(
        parse_map(tuple(pairs), ignored),
        candidates=json_path(candidates) if candidates else None,
        prompt=tuple(map(json_path, words(others.pop("prompt", "")))),
        shapes_at=tuple(dict.fromkeys(json_path(place).first_name for _, place in places)),
        **others,
    )
    mark_paths = tuple(
        tuple(map(json_path, words(alternative))) for alternative in _SEPARATOR.split(marks)
    )
    return Preset(name, mark_paths, field_map, comes_first, needs_text, type_name, types, places)


_TABLE: dict[str, dict[str, Any]] = tomllib.loads(
    files(__package__).joinpath("presets.toml").read_text(encoding="utf-8")
)
_SHAPES: dict[str, PathPairs] = {
    side: tuple(shapes.items()) for side, shapes in _TABLE.pop("shapes").items()
}
INPUT, OUTPUT = (replace(parse_map(_SHAPES[side]), shapes_at=("",)) for side in ("input", "output"))
"""Where chains and models have the query and the answer, in what they are given and return."""

PRESETS = tuple(_preset(name, **row) for name, row in _TABLE.items())
"""Presets are tried in this order."""
