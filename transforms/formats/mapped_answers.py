"""Read answers by field maps: those of the presets, and the user's own."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

from msgspec.structs import replace

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.verdict import Tag
from groundwatch.schemas.wire.json_input import camel_case_name, read_camel_case
from .fact_collection import FactCollection, render_value
from .field_maps.field_map import FieldMap
from .field_maps.presets import PRESETS, Preset
from .field_values import first_time, true_tags
from .finish_reasons import read_end
from .format import Format, Reading, Request

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


def read_by_map(field_map: FieldMap, answer: Answer, *places: object) -> Answer:
    """Replace the fields of an answer that a field map finds in parsed JSON.

    The paths of each field begin at the first of the places that has it.
    """

    def find(field: str) -> list[object]:
        return field_map.find(field, field_map.place_of(field, places))

    facts = FactCollection()
    read = list(field_map.facts(*places))
    queries = [each for each in find("query") if isinstance(each, str) and each]
    # Paths such as `?(@.role!="assistant")` find what the user asked, too: it supports nothing.
    asked = {each.strip() for each in (*queries, answer.query or "")}
    for fact in read:
        if fact is not None and fact.text.strip() not in asked:
            facts.add(fact.text, uri=fact.uri, title=fact.title, document=fact.document)
    if read and not any(read):
        raise UnreadableAnswer(
            f"A fact{field_map.describe('facts')} is neither a text nor an object with one: map the"
            " field that holds its text, such as --map 'facts=$.documents[*].chunk'."
        )
    text = field_map.text("answer", field_map.place_of("answer", places))
    found: dict[str, Any] = {"facts": facts.all(), "answer_text": text}
    is_replaced = any(found.values())
    found["query"] = queries[-1] if queries else ""  # of a conversation
    found |= read_end(chain.from_iterable(map(field_map.end_words, places)))._asdict()
    for field in field_map.paths.keys() & _NAMES:
        found[_NAMES[field]] = next(map(render_value, find(field)), "")
    found = {name: each for name, each in found.items() if each}
    if is_replaced:
        # They count in the text and the facts that the answer had before.
        found |= {"citations": (), "supports": ()}
    times = find("time")[:1]
    time_us, time_tags = first_time(
        *(each if isinstance(each, str | int | float) else None for each in times)
    )
    tags = true_tags({Tag.SOURCE_WITHOUT_TEXT: "facts" in found and None in read})
    return replace(
        answer,
        **found,
        event_time_us=answer.event_time_us if time_us is None else time_us,
        tags=answer.tags + tags + time_tags,
    )


def read_with_own_map(
    own_map: FieldMap, request: Request, detected: Format | UnreadableAnswer
) -> tuple[Answer, str, Format]:
    """Read an answer in its detected format, if any, and replace the fields that the map finds.

    The paths begin at the answer's own JSON, or else at the whole message of its carrier.
    """
    found = _format_of(Preset(MAPPED, (), own_map))
    places = [request.value]
    if request.carried_by and not all(own_map.find(each, request.value) for each in own_map.paths):
        places.append(read_camel_case(request.message.payload))
    try:
        if isinstance(detected, UnreadableAnswer):
            raise detected
        (answer, token), found = detected.read(request), detected
    except UnreadableAnswer:
        is_empty = any(own_map.is_empty("answer", each) for each in request.places())
        if not is_empty and not own_map.text("answer", own_map.place_of("answer", places)):
            raise
        answer, token = Answer(message=request.message), ""
    if found.field_map:
        found = replace(found, field_map=found.field_map.replaced_by(own_map))
    mapped = read_by_map(own_map, answer, *places)
    if mapped.answer_name != answer.answer_name:
        found = replace(found, ids_may_repeat=True)
    return mapped, token, found


def _format_of(preset: Preset) -> Format:
    field_map = preset.field_map

    def read(request: Request) -> Reading:
        preset.reject_other(request.value)
        opened = field_map.open(request.value, has_answer=request.names_answer)
        candidates = field_map.candidates.find(opened) if field_map.candidates else ()
        several = true_tags({Tag.MULTIPLE_CANDIDATES: len(candidates) > 1})
        answer = Answer(message=request.message, tags=several)
        return read_by_map(field_map, answer, opened), ""

    paths = chain.from_iterable(field_map.paths.values())
    return Format(
        name=preset.name,
        fields=frozenset(camel_case_name(path.first_name) for path in paths),
        field_map=field_map,
        marks=preset.rarest_names,
        detects=preset.matches,
        read=read,
        prompt=field_map.prompts,
        ids_may_repeat=True,
    )


FIRST_PRESETS, OTHER_PRESETS = (
    tuple(_format_of(each) for each in PRESETS if each.comes_first is is_first)
    for is_first in (True, False)
)
_RAREST_NAMES = frozenset[str]().union(*(preset.rarest_names for preset in PRESETS))


def is_row(value: object) -> bool:
    """Return whether parsed JSON is a row that some preset reads."""
    return (
        isinstance(value, dict)
        and not _RAREST_NAMES.isdisjoint(value)
        and any(preset.matches(value) for preset in PRESETS)
    )
