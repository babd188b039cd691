"""Read answers by field maps: those of the presets, and the user's own."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from msgspec.structs import replace

from schemas.answer import Answer
from schemas.message import UnmappedFields, UnreadableAnswer
from schemas.verdict import Tag
from schemas.wire.json_input import camel_case_name, read_json
from transforms.field_maps.field_map import FieldMap
from transforms.field_maps.presets import PRESETS, Preset
from transforms.field_maps.suggestions import suggest_map
from transforms.formats.fact_collection import FactCollection, render_value
from transforms.formats.field_values import Time, first_time
from transforms.formats.format import Format, Reading, Request
from transforms.formats.content_search import could_hold_content, join_names
from transforms.rules.routing import depends_on_content

MAPPED = "field_map.custom"
"""The source_format of an answer that only the user's field map can read."""

_NAMES: Mapping[str, str] = {
    "id": "answer_name",
    "engine": "engine",
    "session": "session",
    "trace": "trace_id",
    "span": "span_id",
    "response": "response_id",
}


def read_by_map(field_map: FieldMap, answer: Answer, value: object) -> Answer:
    """Replace the fields of an answer that a field map finds in parsed JSON."""
    found: dict[str, Any] = {}
    facts = FactCollection()
    for fact in field_map.facts(value):
        source = {name: getattr(fact, name) or "" for name in ("uri", "title", "document")}
        facts.add(fact.text, **source)
    if facts.all():
        found["facts"] = facts.all()
    if text := field_map.text("answer", value):
        found["answer_text"] = text
    if found:
        # Those of the message count in the text and facts that it had before.
        found |= {"citations": (), "supports": ()}
    if query := "".join(each for each in field_map.find("query", value) if isinstance(each, str)):
        found["query"] = query
    for field, name in _NAMES.items():
        if given := next(map(render_value, field_map.find(field, value)), ""):
            found[name] = given
    return _with_time(replace(answer, **found), field_map.find("time", value))


def reject_missing(
    field_map: FieldMap, answer: Answer, request: Request, ignored: str = ""
) -> None:
    """Raise UnmappedFields for an answer without text or facts that other fields could hold."""
    lacks = {"answer": not answer.answer_text.strip(), "facts": not answer.facts}
    lacking = [
        field
        for field, is_lacking in lacks.items()
        if is_lacking and not field_map.is_empty(field, request.value)
    ]
    if not lacking or not depends_on_content(answer) or not isinstance(request.value, dict):
        return
    known = {camel_case_name(name) for name in field_map.read_fields(request.value)}
    known.update(ignored.split())
    as_written = read_json(request.message.payload)
    fields = as_written if isinstance(as_written, dict) else request.value
    unknown = [
        name
        for name, field in fields.items()
        if camel_case_name(name) not in known and could_hold_content(field)
    ]
    unmapped = [field for field in lacking if not field_map.paths.get(field)]
    if unknown or unmapped:
        raise UnmappedFields(_describe(field_map, lacking, unknown, answer.source_format, fields))


def _describe(
    field_map: FieldMap,
    lacking: list[str],
    unknown: list[str],
    source_format: str,
    fields: object,
) -> str:
    wanted = [f"{field} at {field_map.describe(field) or 'no path'}" for field in lacking]
    named = f" These fields could hold it: {join_names(unknown)}." if unknown else ""
    return (
        f"The message as {source_format} has no {' and no '.join(wanted)}.{named}"
        f" {suggest_map(fields, lacking)}"
    )


def _with_time(answer: Answer, given: list[object]) -> Answer:
    times: list[Time] = [each if isinstance(each, str | int | float) else None for each in given]
    time_us, is_good = first_time(*times[:1])
    if not is_good and isinstance(times[0], str):
        # Several tools write UTC without saying so.
        time_us, is_good = first_time(f"{times[0]}Z")
    tags = answer.tags if is_good else tuple(dict.fromkeys((*answer.tags, Tag.BAD_TIMESTAMP)))
    return answer if time_us is None and is_good else replace(
        answer, event_time_us=answer.event_time_us if time_us is None else time_us, tags=tags
    )


def _read_preset(preset: Preset, request: Request) -> Reading:
    answer = Answer(message=request.message, record_id="", source_format=preset.name)
    field_map = preset.field_map
    answer = read_by_map(field_map, answer, request.value)
    reject_missing(field_map, answer, request, preset.ignored)
    return answer, ""


def _format_of(preset: Preset) -> Format:
    return Format(
        name=preset.name,
        fields=frozenset(
            camel_case_name(path.first_name)
            for field in preset.field_map.paths.values()
            for path in field
        ),
        wire_of=None,
        detects=preset.matches,
        read=partial(_read_preset, preset),
    )


BEFORE_ENVELOPE = tuple(_format_of(each) for each in PRESETS if each.precedes_envelope)
PRESET_FORMATS = tuple(_format_of(each) for each in PRESETS if not each.precedes_envelope)
