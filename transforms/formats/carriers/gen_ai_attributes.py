"""Attributes of OpenTelemetry's GenAI conventions, beside others of a span, an event or a log.

They become one object with the fields `inputMessages`, `outputMessages`, `retrievalDocuments` and
`systemInstructions`, whichever way their names and values are written.
Source: https://opentelemetry.io/docs/specs/semconv/gen-ai/
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from msgspec.structs import replace

from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.wire.json_input import (
    camel_case_name,
    fields_of,
    objects_in,
    read_if_json,
    to_camel_case,
)
from groundwatch.schemas.wire.wire_type import words
from groundwatch.transforms.formats.field_maps.fact_values import returned_items
from groundwatch.transforms.formats.field_maps.json_path import value_at
from groundwatch.transforms.formats.unread_content import UNKNOWN, SearchedPart, all_but, below
from .carrier import CarriedBody, Carrier, text_attributes
from .open_inference import (
    UNDECIDED,
    WITHOUT_ANSWER,
    has_inference,
    is_of_inference,
    is_readable,
    read_inference,
    unread_inference,
    without_text,
)

_SEPARATORS = re.compile(r"[._]")
# Exporters keep the dots, or replace them; BigQuery's sink writes lower case.
_OUTPUT_NAMES = frozenset(
    spelling
    for written in ("gen_ai.output.messages", "gen_ai.output.messages_ref")
    for name in (written, written.replace(".", "_"))
    for spelling in (name, camel_case_name(name), _SEPARATORS.sub("", name))
)
_FIELDS = {
    "genaiinputmessages": "inputMessages",
    "genaioutputmessages": "outputMessages",
    "genairetrievaldocuments": "retrievalDocuments",
    "genaisysteminstructions": "systemInstructions",
    "errortype": "errorType",
    "genairesponsefinishreasons": "finishReasons",
}

# Of OpenTelemetry's other conventions, and of GenAI's: settings, addresses, errors, tools.
_WITHOUT_CONTENT = frozenset(
    words("""
        cloud code db error exception host http k8s network openinference os otel process rpc
        server service telemetry url user_agent
    """)
)
SERVICE = "service.name"
"""The attribute of a resource that names what wrote its spans."""
_RESULT = ".result."  # what instrumentations say that a search in a database found
_KNOWN = frozenset(_FIELDS).union(
    words("""
        genaiagentdescription genaitoolcallarguments genaitoolcallresult genaitooldefinitions
        genaitooldescription
    """)
)

_SPAN_FIELDS = frozenset(words("links name reference status statusMessage"))
# Of tables of spans, such as Phoenix exports, of which each row of an answer has one.
_COLUMNS = frozenset(
    f"attributes.{name}"
    for name in ("gen_ai.output.messages", "output.value", "llm.output_messages", "input.value")
)


def has_output(names: Iterable[str]) -> bool:
    """Return whether attributes of these names hold a model's messages, or a reference to them."""
    return not _OUTPUT_NAMES.isdisjoint(names)


def joined_without_output(holders: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Join the attributes of events, but those of answers."""
    others = (fields for fields in holders if not has_output(fields))
    return {name: field for fields in others for name, field in fields.items()}


def _unwrap(fields: Mapping[str, Any]) -> Iterator[CarriedBody]:
    holder = _nested_columns(fields)
    own = holder if has_output(holder) else holder["attributes"]
    events = _events(holder)
    beside = joined_without_output(event["attributes"] for event in events)
    answering = [event for event in events if has_output(event["attributes"])]
    if has_output(own) or not answering:
        yield _carried(holder, beside | {**own})
        return
    for event in answering:
        alone = {**holder, "events": [event]} if len(answering) > 1 else None
        yield replace(_carried(holder, {**beside, **own} | event["attributes"]), alone=alone)


def _nested_columns(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a row of a table of spans as the SDK prints a span, and other fields as they are."""
    if _COLUMNS.isdisjoint(fields):
        return fields
    nested: dict[str, Any] = {"attributes": {}, "context": {}}
    for column, field in fields.items():
        holder, _, name = column.partition(".")
        if name and holder in nested:
            nested[holder][name] = field
        else:
            nested[column] = field
    return nested


def _events(holder: Mapping[str, Any]) -> list[Any]:
    """Return the events of a span that have attributes, as the SDK prints it."""
    events = objects_in(holder, "events")
    return [event for event in events if isinstance(event.get("attributes"), dict)]


def _of_inference(holder: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes of OpenInference under the names of GenAI's conventions."""
    span = read_inference(attributes, holder.get("spanKind"))
    if span.kind in WITHOUT_ANSWER:
        raise UnreadableAnswer(
            f"The span is of kind {span.kind}, which holds no answer: let only spans of models,"
            " chains and agents pass, or send all spans of the trace in one message of OTLP."
        )
    has_failed = _has_failed(holder)
    if not (has_failed or is_readable(span.answer)):
        raise without_text()
    outputs = span.answer or {"gen_ai.output.messages": []}
    failed = {"error.type": "ERROR"} if has_failed else {}
    return failed | outputs | {"gen_ai.retrieval.documents": span.documents}


def _has_failed(holder: Mapping[str, Any]) -> bool:
    return "ERROR" in (holder.get("statusCode"), value_at(holder, "status.statusCode"))


def _carried(holder: Mapping[str, Any], attributes: Mapping[str, Any]) -> CarriedBody:
    """Make the body of an answer from the attributes of a span, event or log, its holder."""
    if not has_output(attributes):
        attributes = _of_inference(holder, attributes)
    by_name = {_SEPARATORS.sub("", name).lower(): value for name, value in attributes.items()}
    if any(name.endswith("messagesref") for name in by_name):
        raise UnreadableAnswer(
            "The messages are not in the record, but in the object that gen_ai.…messages_ref names:"
            " record them in the span or event, or read the objects with --map."
        )
    found = [by_name.get("genaitoolcallresult"), holder.get("reference")]
    if beside := [each for each in found if each is not None]:
        documents = [by_name.get("genairetrievaldocuments", []), *beside]
        by_name["genairetrievaldocuments"] = [*chain.from_iterable(map(returned_items, documents))]
    place = fields_of(holder.get("context")) or holder
    ids = [str(place.get(name, "")) for name in ("traceId", "spanId")]
    times = (holder.get(name) for name in ("endTime", "timestamp", "startTime"))
    resource = fields_of(fields_of(holder.get("resource")).get("attributes"))
    undecided = fields_of(attributes.get(UNDECIDED))
    return CarriedBody(
        body=undecided
        | {
            field: to_camel_case(read_if_json(by_name[name]))
            for name, field in _FIELDS.items()
            if name in by_name
        },
        attributes=text_attributes(
            response_id=by_name.get("genairesponseid"),
            session=by_name.get("genaiconversationid"),
            engine=by_name.get("genaiagentname") or by_name.get("genaiagentid"),
            groundwatch_carrier_engine=resource.get(SERVICE),
            trace_id=ids[0],
            span_id=ids[1],
            groundwatch_repeatable_id="/".join(ids) if all(ids) else "",
            groundwatch_carrier_time=next(filter(None, times), None),
            format="opentelemetry.gen_ai" if undecided else "",  # their names are of others, too
        ),
    )


def unread_attributes(attributes: Mapping[str, Any]) -> Iterator[SearchedPart]:
    """Yield what attributes hold beside what is read of them, or never holds text or facts."""
    known = [
        name
        for name in attributes
        if is_of_inference(name)
        or (name.split(".")[0] in _WITHOUT_CONTENT and _RESULT not in name)
        or _SEPARATORS.sub("", name).lower() in _KNOWN
    ]
    yield from all_but(*known)(attributes)
    yield from unread_inference(attributes)


def _unread(fields: Mapping[str, Any]) -> Iterator[SearchedPart]:
    """Yield what a printed span holds beside the attributes that are read."""
    holder = _nested_columns(fields)
    if has_output(holder):
        yield from unread_attributes(holder)
        return
    for name, field in holder.items():
        if name in ("attributes", "resource") and isinstance(field, dict):
            inner = fields_of(field.get("attributes")) if name == "resource" else {}
            yield from below(name, unread_attributes(inner or field))
        elif name == "events":
            for event in _events(holder):
                yield from below("events[].attributes", unread_attributes(event["attributes"]))
        elif name not in _SPAN_FIELDS:
            yield "", {name: field}, UNKNOWN


def _is_holder(fields: Mapping[str, Any]) -> bool:
    holder = _nested_columns(fields)
    attributes = holder.get("attributes")
    if has_output(holder) or not isinstance(attributes, dict):
        return has_output(holder)
    if has_output(attributes) or any(has_output(each["attributes"]) for each in _events(holder)):
        return True
    return has_inference(attributes, holder.get("spanKind"), has_failed=_has_failed(holder))


GEN_AI_ATTRIBUTES = Carrier(
    name="span",
    marks=frozenset({"attributes"}) | _OUTPUT_NAMES | _COLUMNS,
    unread=_unread,
    detects=_is_holder,
    unwrap=_unwrap,
)
