"""OTLP as JSON: a batch of spans or log records, of which those with a model's messages count.

Source: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from schemas.message import UnreadableAnswer
from transforms.formats.carriers.carrier import CarriedBody, Carrier, text_attributes
from transforms.formats.carriers.gen_ai_attributes import has_output


class _Signal(NamedTuple):
    """The fields of one signal: its resources, scopes and items."""

    resources: str
    scopes: str
    items: str


_SIGNALS = (
    _Signal("resourceSpans", "scopeSpans", "spans"),
    _Signal("resourceLogs", "scopeLogs", "logRecords"),
)
_TIMES = ("endTimeUnixNano", "timeUnixNano", "observedTimeUnixNano", "startTimeUnixNano")


def _unwrap(batch: Mapping[str, Any]) -> Iterator[CarriedBody]:
    found = [each for signal in _SIGNALS for each in _unwrap_signal(batch, signal)]
    if not found:
        raise UnreadableAnswer(
            "The OTLP batch has no span or log record with gen_ai.output.messages: switch on the"
            " capture of message content in the instrumentation."
        )
    yield from found


def _unwrap_signal(batch: Mapping[str, Any], signal: _Signal) -> Iterator[CarriedBody]:
    for resource in _objects(batch, signal.resources):
        for scope in _objects(resource, signal.scopes):
            for item in _objects(scope, signal.items):
                if attributes := _messages_of(item):
                    alone = {signal.resources: [{signal.scopes: [{signal.items: [item]}]}]}
                    yield _carried(item, attributes, alone)


def _messages_of(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes with a model's messages: of an item with its body, or of an event."""
    body = _value(item.get("body"))
    own = _attributes(item.get("attributes")) | (body if isinstance(body, dict) else {})
    events = (_attributes(event.get("attributes")) for event in _objects(item, "events"))
    return next(filter(has_output, (own, *events)), {})


def _carried(item: Mapping[str, Any], attributes: dict[str, Any], alone: object) -> CarriedBody:
    times_ns = (str(item[name]) for name in _TIMES if str(item.get(name, "0")) != "0")
    span = [str(item[name]) for name in ("traceId", "spanId") if item.get(name)]
    return CarriedBody(
        body=attributes,
        attributes=text_attributes(
            groundwatch_carrier_id="/".join(span) if len(span) > 1 else "",
            groundwatch_carrier_time=next(times_ns, "")[:-3],
            trace_id=item.get("traceId"),
            span_id=item.get("spanId"),
        ),
        alone=alone,
    )


def _objects(holder: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    items = holder.get(name)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _attributes(pairs: object) -> dict[str, Any]:
    """Convert OTLP's list of keys and values."""
    if not isinstance(pairs, list):
        return {}
    return {
        str(pair["key"]): _value(pair.get("value"))
        for pair in pairs
        if isinstance(pair, dict) and "key" in pair
    }


def _value(value: object) -> Any:
    """Convert an AnyValue, which has one field named after its type."""
    if not isinstance(value, dict) or not value:
        return value
    kind, inner = next(iter(value.items()))
    if kind == "kvlistValue":
        return _attributes(inner.get("values")) if isinstance(inner, dict) else {}
    if kind == "arrayValue":
        return [_value(each) for each in inner.get("values", [])] if isinstance(inner, dict) else []
    return inner


OTLP_JSON = Carrier(
    name="OTLP",
    marks=frozenset({signal.resources for signal in _SIGNALS}),
    knows=lambda name: any(name == signal.resources for signal in _SIGNALS),
    detects=lambda batch: any(_objects(batch, signal.resources) for signal in _SIGNALS),
    unwrap=_unwrap,
)
