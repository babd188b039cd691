"""Read facts from JSON as any tool writes them: texts, documents, and what tools return."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from groundwatch.schemas.answer import Fact
from groundwatch.schemas.wire.json_input import (
    camel_case_name,
    fields_of,
    has_any,
    list_in,
    read_if_json,
)
from groundwatch.transforms.formats.text_parts import count_words
from .field_names import content_by_names, is_about, snake_case
from .json_path import MISSING, read_text_as_json, value_at

_KINDS = (str, dict, type(None))
_OF_DOCUMENTS = frozenset({"node", "page_content"})  # in JSON that libraries dump
_WITHOUT_TEXT = ("image", "image_url", "input_image", "audio")


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
_OF_SEARCH = ("query", "other")


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
    """Write an object that a tool returned, without a text of its own, as JSON."""
    if not isinstance(item, dict) or is_source_alone(item):
        return item
    has_text = _joined_texts(item) is not None or _inner(item) is not None or _cells_in(item)
    is_whole = item is returned.get(_STRUCTURED) or not has_text
    return msgspec.json.encode(item, enc_hook=str).decode() if is_whole else item


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
    cells = list_in(fields_of(item).get("content", item), "row")
    found = ((_first_text(_COLUMNS, cell), _first_text(_VALUES, cell)) for cell in cells)
    return [f"{name or ''}: {value}" for name, value in found if value]


def is_source_alone(item: object) -> bool:
    """Return whether an object says where a source is and how well it fits, without its text."""
    return isinstance(item, dict) and bool(item) and _ABOUT_SOURCES.issuperset(item)


def returned_items(returned: object) -> list[object]:
    """List what a tool returned: also JSON in a text, and what is in the field `documents`.

    Texts beside the documents are another fact, but not what was searched for.

    >>> returned_items('{"documents": ["Lamps glow."], "took": 3}')
    ['Lamps glow.']
    """
    returned = read_if_json(returned)
    if isinstance(returned, dict):
        filled = {name: field for name, field in returned.items() if field not in _ABSENT}
        if isinstance(documents := filled.get("documents"), list):
            del filled["documents"]
            beside = {name: field for name, field in filled.items() if _is_beside(name, field)}
            return [*documents, beside] if beside else documents
        if {"isError", _STRUCTURED}.intersection(filled) and _OF_TOOL_RESULT.issuperset(returned):
            blocks = returned_items(returned.get("content", []))
            structured = filled.get(_STRUCTURED)
            texts = [read_if_json(value_at(each, "text")) for each in blocks]
            is_repeated = structured in (*blocks, *texts)
            return blocks if structured is None or is_repeated else [*blocks, structured]
        if len(filled) == 1 and not _RETURNED.isdisjoint(filled):
            [inner] = filled.values()
            return returned_items(inner)
    if isinstance(returned, str) and returned.strip() in MISSING:
        return []
    return returned if isinstance(returned, list) else [returned]


def _is_beside(name: str, field: object) -> bool:
    """Return whether a field beside documents holds text, and not about the search."""
    snake = snake_case(name)
    if name in _BESIDE_DOCUMENTS:
        return True
    if is_about(snake) or content_by_names(snake) in _OF_SEARCH:
        return False
    if isinstance(field, dict):
        return any(_is_beside(inner, each) for inner, each in field.items())
    if isinstance(field, list):
        return any(_is_beside(name, each) for each in field)
    return isinstance(field, str) and count_words(field) > 1


def texts_beside(returned: object) -> dict[str, object]:
    """Return the fields of an object that hold text beside that of the fact in it."""
    fields = returned.items() if isinstance(returned, dict) else ()
    known = TEXT_NAMES | _ABOUT_SOURCES
    return {name: field for name, field in fields if name not in known and _is_beside(name, field)}


def is_media(item: object) -> bool:
    """Return whether a block of a content holds a picture or a sound, which has no text."""
    return isinstance(item, dict) and item.get("type") in _WITHOUT_TEXT


def _first_text(paths: Iterable[tuple[str, ...]], item: object) -> str | None:
    """Return the first text at some keys of nested objects; None if there is not even a blank."""
    blank = None
    value: Any
    fields = fields_of(item)
    for keys in paths:
        if keys[0] not in fields:
            continue
        value = fields
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, str):
            if value.strip():
                return value
            blank = ""
    return blank
