"""Reject a message whose text or facts may be in fields that its format does not know."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import get_args, get_origin

from groundwatch.schemas.answer import Answer, Citation, Fact
from groundwatch.schemas.message import UnmappedFields
from groundwatch.schemas.wire.json_input import camel_case_name, read_json
from groundwatch.schemas.wire.wire_type import (
    RepeatedField,
    Wire,
    alternatives,
    is_wire,
    wire_fields,
)
from groundwatch.transforms.formats.field_maps.field_map import FieldMap
from groundwatch.transforms.formats.field_maps.suggestions import is_facts_name, suggest_map
from groundwatch.transforms.formats.format import Format, Request
from groundwatch.transforms.rules.routing import depends_on_content

_MAX_SMALL_CHARACTERS = 200
_MAX_NAMED_FIELDS = 5
_NUMBERS = frozenset({int, float, bool, type(None)})
_RECORDS = frozenset({Citation, Fact})
# What a model may call and with what, which its provider names as it likes.
_CALLS = frozenset({"args", "arguments", "functions", "parameters", "toolCalls", "tools"})
_FLAGS = {"text": "answer", "facts": "facts"}
_FIELD_NAME = re.compile(r"[\w$@:\[\]-]{1,60}")


def reject_unmapped(answer: Answer, request: Request, input_format: Format) -> None:
    """Raise UnmappedFields for an answer without text or facts that unknown fields could hold."""
    lacks_text = not answer.answer_text or answer.answer_text.isspace()
    if not (lacks_text or not answer.facts) or not depends_on_content(answer):
        return
    if input_format.field_map:
        _reject_unmapped_row(answer, request, input_format.field_map)
        return
    if input_format.prompt and not (lacks_text or answer.facts):
        _reject_prompt(*input_format.prompt(request.value))
    fields = _FieldSearch(request.value, input_format)
    lacks = {"text": lacks_text, "facts": not answer.facts}
    lacking = [name for name in lacks if lacks[name] and not fields.says_none(name)]
    if lacking and (fields.unmapped or request.carrier_fields):
        names = [*fields.unmapped, *(request.carrier_fields or ())]
        if request.carrier_fields is None:
            names = [*_FieldSearch(read_json(request.message.payload), input_format).unmapped]
        raise UnmappedFields(
            f"No {' and no '.join(lacking)} found in the message as {input_format.name}, which does"
            f" not know these fields: {join_names(names)}. Put the"
            f" {' and the '.join(lacking)} into a field that the format reads, or an empty one"
            " where there is nothing."
            f" {suggest_map(request.as_written(), [_FLAGS[name] for name in lacking])}"
        )


def _reject_unmapped_row(answer: Answer, request: Request, field_map: FieldMap) -> None:
    lacks = {"answer": not answer.answer_text.strip(), "facts": not answer.facts}
    fields = request.value
    lacking = [name for name in lacks if lacks[name] and not field_map.is_empty(name, fields)]
    if not lacking or not isinstance(fields, dict):
        return
    if lacking == ["facts"] and (prompts := field_map.prompts(fields)):
        _reject_prompt(prompts, field_map.prompt[0].text)
    known = field_map.known_names(fields)
    if request.carrier_fields is None:
        as_written = read_json(request.message.payload)
        fields = as_written if isinstance(as_written, dict) else fields
    unknown = [
        name
        for name, field in fields.items()
        if camel_case_name(name) not in known and _could_hold(name, field)
    ]
    if "facts" in lacking:
        read = {name: field for name, field in fields.items() if name not in unknown}
        unknown += dict.fromkeys(_named_as_facts(read, "", field_map.ignored))
    unknown += request.carrier_fields or ()
    if unknown or any(name not in field_map.paths for name in lacking):
        places = " and no ".join(f"{name}{field_map.describe(name)}" for name in lacking)
        unread = {"time", "session"}.difference(field_map.paths)
        raise UnmappedFields(
            f"The message as {answer.source_format} has no {places}. Fields that are not read:"
            f" {join_names(unknown) or 'none'}. {suggest_map(fields, [*lacking, *unread])}"
        )


def _named_as_facts(value: object, path: str, ignored: frozenset[str]) -> Iterator[str]:
    """Find the fields in parsed JSON that are named as facts are, and hold something."""
    if isinstance(value, list):
        for item in value:
            yield from _named_as_facts(item, f"{path}[]", ignored)
    for name, field in value.items() if isinstance(value, dict) else ():
        below = f"{path}.{name}" if path else name
        if camel_case_name(name) in ignored | _CALLS:
            continue
        if is_facts_name(name) and _could_hold(below, field):
            yield below
        else:
            yield from _named_as_facts(field, below, ignored)


def _reject_prompt(texts: Iterable[str], path: str) -> None:
    """Raise UnmappedFields if the text of a prompt is longer than a question."""
    prompt = [text.strip() for text in texts if text]
    if sum(map(len, prompt)) > _MAX_SMALL_CHARACTERS or any("\n" in text for text in prompt):
        raise UnmappedFields(
            "No facts found, but the text of the prompt may hold them: name the field that holds"
            f" them, such as --map 'facts={path}', or log them in a field of their own."
        )


def could_hold_content(value: object) -> bool:
    """Return whether an unknown field could hold text or facts."""
    if isinstance(value, RepeatedField):
        return any(map(could_hold_content, value.values))
    if isinstance(value, str):
        return len(value) > _MAX_SMALL_CHARACTERS
    return isinstance(value, list | dict) and bool(value)


def _could_hold(path: str, value: object) -> bool:
    """Return whether an unknown field could hold text or facts: also a short fact, by its place."""
    if isinstance(value, str) and value.strip():
        names = path.split(".")
        return could_hold_content(value) or names[0] == "facts[]" or is_facts_name(names[-1])
    return could_hold_content(value)


def join_names(paths: Sequence[str]) -> str:
    """Join the paths of the first few fields; hide names that may be text of the answer."""
    named = ", ".join(
        ".".join(
            name if _FIELD_NAME.fullmatch(name) else "(name not shown)" for name in path.split(".")
        )
        for path in paths[:_MAX_NAMED_FIELDS]
    )
    return f"{named} and others" if len(paths) > _MAX_NAMED_FIELDS else named


class _FieldSearch:
    """Collect the fields of a message that its wire types neither read nor ignore."""

    def __init__(self, value: object, input_format: Format) -> None:
        self.unmapped: dict[str, None] = {}
        self._content: dict[str, list[object]] = {"text": [], "facts": []}
        path = "[]" if isinstance(value, list) else ""
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict):
                camel = {camel_case_name(name): field for name, field in item.items()}
                self._search_object(item, input_format.wire_of(camel), path)

    def says_none(self, content: str) -> bool:
        """Return whether the message has the fields of its text or facts, and all are empty."""
        values = self._content[content]
        return bool(values) and not any(
            value.strip() if isinstance(value, str) else value for value in values
        )

    def _search_object(self, fields: Mapping[str, object], wire: type[Wire], path: str) -> None:
        known = wire_fields(wire)
        for name, value in fields.items():
            camel = camel_case_name(name)
            below = f"{path}.{name}" if path else name
            if camel in (wire.text_field, wire.facts_field):
                self._content["text" if camel == wire.text_field else "facts"].append(value)
            if camel in known:
                self._search_field(value, known[camel], below)
            elif camel not in wire.ignored:
                self._add(below, value)

    def _search_field(self, value: object, annotation: object, path: str) -> None:
        kinds = alternatives(annotation)
        origins = [get_origin(kind) for kind in kinds]
        if isinstance(value, dict) and (wire := next(filter(is_wire, kinds), None)):
            self._search_object(value, wire, path)
        elif isinstance(value, list) and tuple in origins:
            item = get_args(kinds[origins.index(tuple)])[0]
            for each in value:
                self._search_field(each, item, f"{path}[]")
        else:
            is_read = (isinstance(value, str) and str in kinds) or (
                isinstance(value, dict) and (dict in origins or not _RECORDS.isdisjoint(kinds))
            )
            # A number holds no text, whatever is written in its place.
            if not is_read and not _NUMBERS.issuperset(kinds):
                self._add(path, value)

    def _add(self, path: str, value: object) -> None:
        # One more than the error names shows that there are others.
        if len(self.unmapped) <= _MAX_NAMED_FIELDS and _could_hold(path, value):
            self.unmapped[path] = None
