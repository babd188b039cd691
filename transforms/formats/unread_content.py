"""Search what was not read of a message for text that could be its answer or its facts.

What is known of a message is a `Known`: what a format, a field map or a carrier reads of it, path
by path. Everything else is searched at every depth.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, get_args, get_origin

from groundwatch.schemas import Record
from groundwatch.schemas.answer import Citation, Fact
from groundwatch.schemas.wire.json_input import camel_case_name
from groundwatch.schemas.wire.wire_type import (
    RepeatedField,
    Wire,
    alternatives,
    is_wire,
    wire_fields,
)
from groundwatch.transforms.lexical.language.sentences import QUESTION_MARKS
from .field_maps.fact_values import SOURCE_NAMES, TEXT_NAMES
from .field_maps.field_map import FieldMap
from .field_maps.field_names import ANSWER_LISTS, answer_rank, is_facts_name, is_result_name
from .field_maps.json_path import TEXT_BLOCKS, Every, PathStep, next_steps, read_text_as_json
from .text_parts import count_words, is_call

_MAX_SMALL_CHARACTERS = 200
_SEVERAL_WORDS = 3
_WORDS_OF_STATEMENT = 8
_MAX_NAMED_FIELDS = 5
_FIELD_NAME = re.compile(r"[\w$@:\[\]-]{1,60}")
_SENTENCE_END = re.compile(r"""[.!\u2026\u3002\uff01\u0964]["')\]*_\u201d\u2019\xbb]*\Z""")
_NUMBERS = frozenset({int, float, bool, type(None)})
_RECORDS = frozenset({Citation, Fact})
# What a model thought, and what Google's services say of a document.
_WITHOUT_CONTENT = frozenset(
    {
        *("reasoning", "reasoningContent", "thinking", "thinkingBlocks", "thoughtSignature"),
        *("structData", "derivedStructData", "documentMetadata"),
    }
)
_THOUGHTS = frozenset({"reasoning", "thinking", "redacted_thinking"})
# A call is the model's, and so is what it is called with; its other fields are what a tool says.
_TOOLS = frozenset({"tool", "toolName", "toolType", "function", "functionName"})
_ARGUMENTS = frozenset({"args", "arguments", "parameters", "inputParameters"})
_CALLED_WITH = _ARGUMENTS | {"action", "code", "input", "queries", "query", "inputActionParameters"}
_SHOWN = frozenset({"id", "name", "results", "status", "type"})
_OF_CALL = _ARGUMENTS | _SHOWN | {"content"}
_DEFINED = frozenset({"inputSchema", "parametersJsonSchema", "schema"})


class _Read(Record, frozen=True):
    """All is known: it was read, or it never holds the answer or its facts.

    Of a text that is JSON, what is named as facts in it is not known.
    """

    is_json: bool = False

    def inside(self, name: str, _value: object, _place: tuple[int, int]) -> "Known | None":
        return None if self.is_json and is_facts_name(name) else self


READ = _Read()

_Rests = tuple[tuple[str, tuple[PathStep, ...]], ...]


class KnownWire(Record, frozen=True):
    """What a wire type reads or ignores of an object."""

    wire: type[Wire]

    def inside(self, name: str, value: object, _place: tuple[int, int]) -> "Known | None":
        """Return what is known of a field's value, by its annotation."""
        camel = camel_case_name(name)
        annotation = wire_fields(self.wire).get(camel)
        if annotation is not None:
            return READ if camel == "attributes" else _known_of(value, annotation)
        if camel not in self.wire.ignored:
            return None
        items = value if isinstance(value, list) else [value]
        is_text = not any(isinstance(item, dict | list) for item in items)
        return READ if is_text or camel in self.wire.unsearched else UNKNOWN


class _KnownItems(Record, frozen=True):
    annotation: object

    def inside(self, _name: str, value: object, _place: tuple[int, int]) -> "Known | None":
        return _known_of(value, self.annotation)


def _known_of(value: object, annotation: object) -> "Known | None":
    kinds = alternatives(annotation)
    origins = [get_origin(kind) for kind in kinds]
    if isinstance(value, dict):
        if wire := next(filter(is_wire, kinds), None):
            return KnownWire(wire)
        is_read = not _RECORDS.isdisjoint(kinds)
        if dict in origins:
            return UNKNOWN
    elif isinstance(value, list) and tuple in origins:
        return _KnownItems(get_args(kinds[origins.index(tuple)])[0])
    else:
        is_read = isinstance(value, str) and str in kinds
        if is_read and isinstance(read_text_as_json(value), dict | list):
            return _Read(is_json=True)
    if Any in kinds:  # documents, and what tools returned
        return _ending((("facts", ()),), value)
    # A number holds no text, whatever is written in its place.
    return READ if is_read or _NUMBERS.issuperset(kinds) else None


class KnownPaths(Record, frozen=True):
    """What paths lead to: the rests of those that go through here, each with its field.

    `ends` has the fields whose paths end here, at an object or a list: its texts were read.
    """

    rests: _Rests
    ends: frozenset[str] = frozenset()

    def inside(self, name: str, value: object, place: tuple[int, int]) -> "Known | None":
        """Return what is known of a field's value, or of an item by its number and their count."""
        rests = tuple(
            (field, rest)
            for field, steps in self.rests
            for rest in next_steps(steps, name=name, place=place, value=value)
        )
        if not name and self.ends and isinstance(value, str):
            return READ
        if not name and "answer" in self.ends and isinstance(value, dict):
            if value.get("type") in TEXT_BLOCKS:
                rests += (("answer", ("text",)),)
            elif value.get("type") == "message":
                rests += (("answer", ("content",)),)
        if rests or "facts" not in self.ends:
            return _ending(rests, value) if rests else None
        if not name:
            return KnownPaths((), self.ends)
        camel = camel_case_name(name)
        is_text = isinstance(value, str) and camel in TEXT_NAMES
        return READ if is_text or camel in SOURCE_NAMES else None


def _ending(rests: _Rests, value: object) -> "Known":
    ends = frozenset(field for field, steps in rests if not steps)
    is_leaf = not isinstance(read_text_as_json(value), dict | list)
    if ends and (is_leaf or not ends & {"answer", "query", "facts"}):
        return READ
    return KnownPaths(tuple(rest for rest in rests if rest[1]), ends)


UNKNOWN = KnownPaths(())
"""Nothing is known of any field or item."""


class KnownByEither(Record, frozen=True):
    """What one or the other of two knows, such as a format and the user's map."""

    one: "Known"
    other: "Known"

    def inside(self, name: str, value: object, place: tuple[int, int]) -> "Known | None":
        """Return what both know of a field's value, or one if the other knows nothing."""
        one, other = (known.inside(name, value, place) for known in (self.one, self.other))
        if one is None or other is None or READ in (one, other):
            return READ if READ in (one, other) else one or other
        return KnownByEither(one, other)


Known = _Read | KnownWire | _KnownItems | KnownPaths | KnownByEither
"""What is known of an object or a list: of each of its fields or items, None if nothing is."""
SearchedPart = tuple[str, object, Known]
"""A part of a message to search: its path, its value, and what is known of it."""


def known_by_map(
    field_map: FieldMap, other_answers: Iterable[tuple[PathStep, ...]] = ()
) -> KnownPaths:
    """Return what a field map knows of a row, and paths of answers that are not read."""
    rests = [
        (field, _to_alternatives(path.steps) if field == "answer" else path.steps)
        for field, paths in (*field_map.paths.items(), ("prompt", field_map.prompt))
        for path in paths
    ]
    rests += (("answer", steps) for steps in other_answers)
    rests += (("", (name,)) for name in sorted(field_map.ignored))
    return KnownPaths(tuple(rest for rest in rests if rest[1]))


def _to_alternatives(steps: tuple[PathStep, ...]) -> tuple[PathStep, ...]:
    """Let a path that leads to one of several answers lead to all: the others are no facts."""
    return tuple(
        Every() if isinstance(step, int) and holder in ANSWER_LISTS else step
        for holder, step in zip(("", *steps), steps, strict=False)
    )


def all_but(*names: str) -> Callable[[Mapping[str, object]], Iterator[SearchedPart]]:
    """Return a function that leaves out fields which are read, or never hold text or facts."""
    known = frozenset(names)

    def parts(fields: Mapping[str, object]) -> Iterator[SearchedPart]:
        yield "", {name: field for name, field in fields.items() if name not in known}, UNKNOWN

    return parts


def below(path: str, parts: Iterable[SearchedPart]) -> Iterator[SearchedPart]:
    """Put the path to what holds some parts before theirs."""
    for inner, value, known in parts:
        yield ".".join(filter(None, (path, inner))), value, known


def wire_content(content: str, value: object, known: Known | None) -> Iterator[object]:
    """Yield the values of the fields that hold the `text` or the `facts`, by the wire types."""
    if not isinstance(known, KnownWire | _KnownItems):
        return
    named = getattr(known.wire, f"{content}_field") if isinstance(known, KnownWire) else ""
    for name, each, found in _inside(value, known):
        if named and camel_case_name(name) == named:
            yield each
        yield from wire_content(content, each, found)


def names_of_unread(
    parts: Iterable[SearchedPart], *, is_text_lacking: bool, read: frozenset[str] = frozenset()
) -> Iterator[str]:
    """Yield the paths of what is not known of a message's parts and could hold what is lacking.

    Each is the outermost field that nothing is known of. A list or an object counts if some text in
    it is of several words, a text by itself if it has over 200 characters, is a statement or is
    named as facts are; where the text is lacking, also if it has several words. Texts within
    one of `read`, but for the white space around them, count nowhere.
    """
    for path, value, known in parts:
        for name, each, found in _inside(read_text_as_json(value), known, are_searched=True):
            place = (f"{path}.{name}" if path else name) if name else f"{path}[]"
            if found is not None:
                inner = [(place, each, found)] if found != READ else []
                yield from names_of_unread(inner, is_text_lacking=is_text_lacking, read=read)
            elif read and _is_in(each, read):
                continue
            elif isinstance(each, dict) and not name:
                yield from (
                    f"{place}.{below}"
                    for below, field in _searched(each)
                    if _has_words(below, field)
                )
            elif could_hold_content(name, each, is_text_lacking=is_text_lacking):
                yield place


def _inside(
    value: object, known: Known, *, are_searched: bool = False
) -> Iterator[tuple[str, object, Known | None]]:
    """Yield the name of each field, "" for an item, its value, and what is known of it."""
    inner: list[tuple[str, object]] = []
    if isinstance(value, dict):
        inner = [*(_searched(value) if are_searched else value.items())]
    elif isinstance(value, list):
        inner = [("", each) for each in value]
    for number, (name, each) in enumerate(inner):
        yield name, each, known.inside(name, each, (number, len(inner)))


def _is_in(value: object, read: frozenset[str]) -> bool:
    """Return whether all texts that could hold content, at any depth, are among those read."""
    value = read_text_as_json(value)
    if isinstance(value, dict):
        fields = (field for name, field in value.items() if could_hold_content(name, field))
        return all(_is_in(field, read) for field in fields)
    if isinstance(value, list):
        return all(_is_in(item, read) for item in value)
    return not isinstance(value, str) or any(value.strip() in text for text in read)


def join_names(paths: Sequence[str]) -> str:
    """Join the paths of the first few fields; hide names that may be text of the answer."""
    named = ", ".join(
        ".".join(
            name if _FIELD_NAME.fullmatch(name) else "(name not shown)" for name in path.split(".")
        )
        for path in paths[:_MAX_NAMED_FIELDS]
    )
    return f"{named} and others" if len(paths) > _MAX_NAMED_FIELDS else named


def could_hold_content(name: str, value: object, *, is_text_lacking: bool = False) -> bool:
    """Return whether a field that nothing is known of could hold an answer or its facts."""
    value = read_text_as_json(value)
    if not isinstance(value, str):
        return _has_words(name, value)
    if is_facts_name(name) and value.strip():
        return True
    if answer_rank(name) == 0 and not is_text_lacking:
        return False
    words = count_words(value)
    is_long = len(value) > _MAX_SMALL_CHARACTERS and words > 1
    return is_long or _is_statement(value) or (is_text_lacking and words >= _SEVERAL_WORDS)


def _has_words(name: str, value: object) -> bool:
    """Return whether some text at any depth has several words, or is named as facts are."""
    value = read_text_as_json(value)
    if isinstance(value, RepeatedField):
        return any(_has_words(name, each) for each in value.values)
    if isinstance(value, dict):
        return any(_has_words(inner, field) for inner, field in _searched(value))
    if isinstance(value, list):
        return any(
            (isinstance(each, str) and count_words(each) > 1) or _has_words(name, each)
            for each in value
        )
    return isinstance(value, str) and could_hold_content(name, value, is_text_lacking=True)


def _searched(fields: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Yield the fields of an object but a model's thoughts, and what it calls tools with."""
    kind = fields.get("type")
    if (isinstance(kind, str) and kind in _THOUGHTS) or fields.get("thought") is True:
        return
    names = {camel_case_name(name) for name in fields}
    others = {name for name in names - _OF_CALL if not is_result_name(name)}
    left_out, called_with = _WITHOUT_CONTENT, frozenset[str]()
    if is_call(kind) or not _TOOLS.isdisjoint(names):
        called_with = _CALLED_WITH
    elif names <= {"args", "arguments", "id", "type"} or (
        "name" in names and not (others and _ARGUMENTS.isdisjoint(names))
    ):
        called_with = _ARGUMENTS
    if names >= {"name", "parameters"} or not _DEFINED.isdisjoint(names):
        left_out |= _DEFINED | {"description"}
    for name, field in fields.items():
        camel = camel_case_name(name)
        if camel in called_with:
            inner = read_text_as_json(field)
            given = inner if isinstance(inner, dict) else {}
            if results := {each: given[each] for each in given if is_result_name(each)}:
                yield name, results
        elif called_with and isinstance(field, str) and camel not in others | _SHOWN:
            yield name, {"results": field}  # however short it is
        elif camel not in left_out:
            yield name, field


def _is_statement(text: str) -> bool:
    text, words = text.strip(), count_words(text)
    is_long = words >= _WORDS_OF_STATEMENT and not text.endswith(QUESTION_MARKS)
    return is_long or (words > 1 and bool(_SENTENCE_END.search(text[-8:])))
