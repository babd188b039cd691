"""Attributes of OpenTelemetry's GenAI conventions, beside others of a span, an event or a log.

They become one object with the fields `inputMessages`, `outputMessages`, `retrievalDocuments` and
`systemInstructions`, whichever way their names and values are written.
Source: https://opentelemetry.io/docs/specs/semconv/gen-ai/
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.wire.json_input import objects_in, read_if_json, to_camel_case
from groundwatch.schemas.wire.wire_type import words
from groundwatch.transforms.formats.carriers.carrier import CarriedBody, Carrier, text_attributes
from groundwatch.transforms.formats.carriers.open_inference import (
    is_of_inference,
    read_inference,
    unread_inference,
    without_text,
)
from groundwatch.transforms.formats.field_maps.field_map import returned_items
from groundwatch.transforms.formats.unread_content import UNKNOWN, Part, all_but, below

_SEPARATORS = re.compile(r"[._]")
# Exporters keep the dots, or replace them; BigQuery's sink writes lower case.
_OUTPUT_NAMES = frozenset(
    words("""
        gen_ai.output.messages genAi.output.messages gen_ai_output_messages genAiOutputMessages
        genaioutputmessages
    """)
)
_REFERENCE_NAMES = frozenset(
    words("""
        gen_ai.output.messages_ref genAi.output.messagesRef gen_ai_output_messages_ref
        genAiOutputMessagesRef genaioutputmessagesref
    """)
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
_KNOWN = frozenset(_FIELDS).union(
    words("""
        genaiagentdescription genaitoolcallarguments genaitoolcallresult genaitooldefinitions
        genaitooldescription
    """)
)

_SPAN_FIELDS = frozenset(words("links name status statusMessage"))


def has_output(attributes: Mapping[str, Any]) -> bool:
    """Return whether attributes hold the messages of a model, or a reference to them."""
    return not (_OUTPUT_NAMES | _REFERENCE_NAMES).isdisjoint(attributes)


def _unwrap(holder: Mapping[str, Any]) -> Iterator[CarriedBody]:
    own = holder if has_output(holder) else holder["attributes"]
    events = _events(holder)
    beside = {
        name: field
        for event in events
        if not has_output(event["attributes"])
        for name, field in event["attributes"].items()
    }
    answering = [event for event in events if has_output(event["attributes"])]
    if has_output(own) or not answering:
        yield _carried(holder, beside | {**own})
        return
    for event in answering:
        alone = {**holder, "events": [event]} if len(answering) > 1 else None
        yield replace(_carried(holder, {**beside, **own} | event["attributes"]), alone=alone)


def _events(holder: Mapping[str, Any]) -> list[Any]:
    """Return the events of a span that have attributes, as the SDK prints it."""
    events = objects_in(holder, "events")
    return [event for event in events if isinstance(event.get("attributes"), dict)]


def _of_inference(holder: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes of OpenInference under the names of GenAI's conventions."""
    span = read_inference(attributes)
    if not span.answer["gen_ai.output.messages"]:
        raise without_text()
    documents = [*span.documents, *returned_items(holder.get("reference", []))]
    return span.answer | {"gen_ai.retrieval.documents": documents}


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
    if (result := by_name.get("genaitoolcallresult")) is not None:
        found = returned_items(by_name.get("genairetrievaldocuments", []))
        by_name["genairetrievaldocuments"] = [*found, *returned_items(result)]
    context = holder.get("context")
    place = context if isinstance(context, dict) else holder
    ids = [str(place.get(name, "")) for name in ("traceId", "spanId")]
    times = (holder.get(name) for name in ("endTime", "timestamp", "startTime"))
    return CarriedBody(
        body={
            field: to_camel_case(read_if_json(by_name[name]))
            for name, field in _FIELDS.items()
            if name in by_name
        },
        attributes=text_attributes(
            response_id=by_name.get("genairesponseid"),
            session=by_name.get("genaiconversationid"),
            engine=by_name.get("genaiagentname") or by_name.get("genaiagentid"),
            trace_id=ids[0],
            span_id=ids[1],
            groundwatch_repeatable_id="/".join(ids) if all(ids) else "",
            groundwatch_carrier_time=next(filter(None, times), None),
        ),
    )


def unread_attributes(attributes: Mapping[str, Any]) -> Iterator[Part]:
    """Yield what attributes hold beside what is read of them, or never holds text or facts."""
    known = [
        name
        for name in attributes
        if is_of_inference(name)
        or name.split(".")[0] in _WITHOUT_CONTENT
        or _SEPARATORS.sub("", name).lower() in _KNOWN
    ]
    yield from all_but(*known)(attributes)
    yield from unread_inference(attributes)


def _unread(holder: Mapping[str, Any]) -> Iterator[Part]:
    """Yield what a printed span holds beside the attributes that are read."""
    if has_output(holder):
        yield from unread_attributes(holder)
        return
    for name, field in holder.items():
        if name in ("attributes", "resource") and isinstance(field, dict):
            named = field.get("attributes") if name == "resource" else field
            own = named if isinstance(named, dict) else field
            yield from below(name, unread_attributes(own))
        elif name == "events":
            for event in _events(holder):
                yield from below("events[].attributes", unread_attributes(event["attributes"]))
        elif name not in _SPAN_FIELDS:
            yield "", {name: field}, UNKNOWN


def _is_holder(fields: Mapping[str, Any]) -> bool:
    attributes = fields.get("attributes")
    return has_output(fields) or (
        isinstance(attributes, dict)
        and (
            has_output(attributes)
            or any(has_output(event["attributes"]) for event in _events(fields))
            or bool(read_inference(attributes).answer)
        )
    )


GEN_AI_ATTRIBUTES = Carrier(
    name="attributes",
    marks=frozenset({"attributes"}) | _OUTPUT_NAMES | _REFERENCE_NAMES,
    unread=_unread,
    detects=_is_holder,
    unwrap=_unwrap,
)
