"""Reject a message whose text or facts may be in fields that its format does not know."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, get_args, get_origin

from schemas.answer import Answer
from schemas.message import UnmappedFields
from schemas.wire.wire_type import RepeatedField, Wire, alternatives, is_wire, wire_fields
from transforms.formats.format import Format, Request
from transforms.formats.json_input import camel_case_name, read_json
from transforms.rules.routing import depends_on_content

_MAX_SMALL_CHARACTERS = 200
_MAX_NAMED_FIELDS = 5
_NUMBERS = frozenset({int, float, bool, type(None)})
_FIELD_NAME = re.compile(r"[\w$@:\[\]-]{1,60}")


def reject_unmapped(answer: Answer, request: Request, input_format: Format) -> None:
    """Reject an answer without text or facts if unknown fields of its message could hold them.

    Args:
      answer: the answer that was read.
      request: the request; its message holds this answer alone.
      input_format: the format in which the answer was read.

    Raises:
      UnmappedFields: names the fields, never their values.
    """
    lacks_text = not answer.answer_text or answer.answer_text.isspace()
    if not (lacks_text or not answer.facts) or not depends_on_content(answer):
        return
    fields = _FieldSearch()
    fields.search_message(request.value, input_format)
    lacking = [
        *(["text"] if lacks_text and not fields.says_no_text else []),
        *(["facts"] if not answer.facts and not fields.says_no_facts else []),
    ]
    if lacking and fields.unmapped:
        as_written = _FieldSearch()
        as_written.search_message(read_json(request.message.payload), input_format)
        raise UnmappedFields(
            f"No {' and no '.join(lacking)} found in the message as {input_format.name}, which does"
            f" not know these fields: {join_names(list(as_written.unmapped))}. Put the"
            f" {' and the '.join(lacking)} into a field that the format reads, or an empty one"
            " where there is nothing."
        )


def could_hold_content(value: object) -> bool:
    """Return whether an unknown field could hold text or facts."""
    if isinstance(value, RepeatedField):
        return any(map(could_hold_content, value.values))
    if isinstance(value, str):
        return len(value) > _MAX_SMALL_CHARACTERS
    return isinstance(value, list | dict) and bool(value)


def join_names(paths: Sequence[str]) -> str:
    """Join the paths of the first few fields for an error message."""
    named = ", ".join(map(_shown, paths[:_MAX_NAMED_FIELDS]))
    return f"{named} and others" if len(paths) > _MAX_NAMED_FIELDS else named


class _FieldSearch:
    """Collect the fields of a message that its wire types neither read nor ignore."""

    def __init__(self) -> None:
        self.unmapped: dict[str, None] = {}
        self._text_fields: list[object] = []
        self._facts_fields: list[object] = []

    @property
    def says_no_text(self) -> bool:
        return bool(self._text_fields) and not any(map(_holds, self._text_fields))

    @property
    def says_no_facts(self) -> bool:
        return bool(self._facts_fields) and not any(map(_holds, self._facts_fields))

    def search_message(self, value: object, input_format: Format) -> None:
        """Search a message as it was written, or in camelCase."""
        path = "[]" if isinstance(value, list) else ""
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict):
                camel = {camel_case_name(name): field for name, field in item.items()}
                self._search_object(item, input_format.wire_of(camel), path)

    def _search_object(self, fields: Mapping[str, object], wire: type[Wire], path: str) -> None:
        known = wire_fields(wire)
        for name, value in fields.items():
            camel = camel_case_name(name)
            if camel == wire.text_field:
                self._text_fields.append(value)
            elif camel == wire.facts_field:
                self._facts_fields.append(value)
            if camel in known:
                self._search_field(value, known[camel], _below(path, name))
            elif camel not in wire.ignored and could_hold_content(value):
                self._add(_below(path, name))

    def _search_field(self, value: object, annotation: object, path: str) -> None:
        kinds = alternatives(annotation)
        if isinstance(value, dict) and (wire := next(filter(is_wire, kinds), None)):
            self._search_object(value, wire, path)
        elif isinstance(value, list) and (item := _item_type(kinds)):
            for each in value:
                self._search_field(each, item, f"{path}[]")
        elif not _takes(value, kinds) and could_hold_content(value):
            self._add(path)

    def _add(self, path: str) -> None:
        # One more than the error names shows that there are others.
        if len(self.unmapped) <= _MAX_NAMED_FIELDS:
            self.unmapped[path] = None


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _item_type(kinds: tuple[Any, ...]) -> object:
    return next((get_args(kind)[0] for kind in kinds if get_origin(kind) is tuple), None)


def _takes(value: object, kinds: tuple[Any, ...]) -> bool:
    """Return whether the value fits the field, or the field is a number, which holds no text."""
    if isinstance(value, str) and str in kinds:
        return True
    if isinstance(value, dict) and any(get_origin(kind) is dict for kind in kinds):
        return True
    return _NUMBERS.issuperset(kinds)


def _holds(value: object) -> bool:
    return bool(value.strip() if isinstance(value, str) else value)


def _shown(path: str) -> str:
    """Return a path without names that may be text of the answer."""
    return ".".join(
        name if _FIELD_NAME.fullmatch(name) else "(name not shown)" for name in path.split(".")
    )
