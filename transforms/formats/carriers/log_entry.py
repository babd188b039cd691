"""Cloud Logging's LogEntry, as a log sink writes it to Pub/Sub, Cloud Storage or BigQuery.

Source: https://docs.cloud.google.com/logging/docs/reference/v2/rest/v2/LogEntry
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.wire.json_input import JSON_START, fields_of
from groundwatch.schemas.wire.wire_type import Wire, wire_fields, words
from groundwatch.transforms.formats.unread_content import SearchedPart, all_but, below
from .carrier import CarriedBody, Carrier, text_attributes
from .gen_ai_attributes import has_output, unread_attributes

_PAYLOADS = words("jsonPayload textPayload protoPayload")
_PAYLOADS_OF_SINKS = frozenset({"insertId", "insertid", *_PAYLOADS, *map(str.lower, _PAYLOADS)})
_FIELDS = frozenset(
    words("""
        logName resource timestamp receiveTimestamp severity insertId httpRequest labels metadata
        operation trace spanId traceSampled sourceLocation split errorGroups apphub
        apphubDestination apphubSource otel
    """)
).union(_PAYLOADS)


def _restore_case(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Rename the fields of an entry that BigQuery's sink has written in lower case."""
    payloads = [entry[name] for name in entry if name.lower().endswith("payload")]
    names = [name for payload in payloads if isinstance(payload, dict) for name in payload]
    if "logname" not in entry and any(name != name.lower() for name in names):
        return entry
    return fields_of(_renamed(entry))


def _renamed(value: Any) -> Any:
    if isinstance(value, list):
        return [_renamed(item) for item in value]
    if not isinstance(value, dict):
        return value
    names = _names_in_camel_case()
    return {names.get(name, name): _renamed(item) for name, item in value.items()}


@cache
def _names_in_camel_case() -> Mapping[str, str]:
    """Map the lower case of all known fields to their names."""
    wires, kinds = {Wire}, [Wire]
    while kinds:
        kinds = [sub for kind in kinds for sub in kind.__subclasses__() if sub not in wires]
        wires.update(kinds)
    names = {name for wire in wires for name in (*wire_fields(wire), *wire.ignored)} | _FIELDS
    return {name.lower(): name for name in names}


def _unwrap(entry: Mapping[str, Any]) -> Iterator[CarriedBody]:
    entry = _restore_case(entry)
    labels = fields_of(entry.get("labels"))
    if has_output(labels):
        # An exporter of OpenTelemetry writes them there, and a record's body beside them.
        entry = {**entry, _PAYLOADS[0]: fields_of(entry.get(_PAYLOADS[0])) | labels}
    payload = _payload_name(entry)
    if not payload:
        raise UnreadableAnswer("The log entry has no payload: let only entries with one pass.")
    if entry.get("split"):
        raise UnreadableAnswer(
            "The log entry is one part of a larger one, which Cloud Logging split: log the answer"
            " with less text, or publish it to Pub/Sub."
        )
    body = entry[payload]
    if isinstance(body, dict) and _is_wrapped(body):
        body = body["message"]
    if isinstance(body, str) and not JSON_START.match(body):
        raise UnreadableAnswer(
            "The log entry's textPayload is not JSON: write the answer as jsonPayload, or let only"
            " the chatbot's entries pass the sink's filter."
        )
    identity = [str(entry[name]) for name in ("logName", "timestamp", "insertId") if name in entry]
    yield CarriedBody(
        body=body,
        attributes=text_attributes(
            groundwatch_carrier_id=" ".join(identity) if "insertId" in entry else "",
            groundwatch_carrier_time=entry.get("timestamp") or entry.get("receiveTimestamp"),
            trace_id=str(entry.get("trace", "")).rpartition("/")[2],
            span_id=entry.get("spanId"),
        ),
    )


def _unread(entry: Mapping[str, Any]) -> Iterator[SearchedPart]:
    """Yield what is beside the payload that is read, and what is in it beside a logger's text."""
    entry = _restore_case(entry)
    payload = _payload_name(entry)
    yield from all_but(payload, "httpRequest", "labels")(entry)
    body = entry.get(payload)
    if isinstance(body, dict) and _is_wrapped(body):
        yield from below(payload, all_but("message")(body))
    yield from below("labels", unread_attributes(fields_of(entry.get("labels"))))


def _payload_name(entry: Mapping[str, Any]) -> str:
    """Return the name of the payload that is read, "" without any."""
    return next((name for name in _PAYLOADS if entry.get(name)), "")


def _is_wrapped(body: Mapping[str, Any]) -> bool:
    """Return whether a payload holds a logger's text of JSON, beside fields of its own."""
    start = JSON_START.match(str(body.get("message", "")))
    return start is not None and start[0].endswith("{")


LOG_ENTRY = Carrier(
    name="LogEntry",
    marks=frozenset({"logName", "logname"}),
    unread=_unread,
    detects=lambda entry: not _PAYLOADS_OF_SINKS.isdisjoint(entry),
    unwrap=_unwrap,
)
