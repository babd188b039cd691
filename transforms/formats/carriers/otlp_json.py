"""OTLP as JSON: a batch of spans or log records, of which those with a model's messages count.

The spans of a trace belong together: an answer has the documents of its trace's retrievers and
tools, and the calls below it are its own.
Source: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.wire.json_input import (
    camel_case_name,
    fields_of,
    objects_in,
    read_if_json,
    whole_number,
)
from groundwatch.schemas.wire.wire_type import words
from groundwatch.transforms.formats.field_maps.fact_values import returned_items
from groundwatch.transforms.formats.text_parts import TOOLS
from groundwatch.transforms.formats.unread_content import (
    UNKNOWN,
    SearchedPart,
    all_but,
    names_of_unread,
)
from .carrier import CarriedBody, Carrier, text_attributes
from .gen_ai_attributes import SERVICE, has_output, joined_without_output, unread_attributes
from .open_inference import InferenceSpan, is_readable, read_inference, without_text


class Signal(NamedTuple):
    """The fields of one signal: its resources, scopes and items."""

    resources: str
    scopes: str
    items: str


SPANS = Signal("resourceSpans", "scopeSpans", "spans")
LOGS = Signal("resourceLogs", "scopeLogs", "logRecords")
_SIGNALS = (SPANS, LOGS)
_OF_BATCH = frozenset(name for signal in _SIGNALS for name in signal) | {
    *("resource", "scope", "schemaUrl", "attributes", "name", "version")
}
_ASKED, _DOCUMENTS = "gen_ai.input.messages", "gen_ai.retrieval.documents"
# Of OpenTelemetry's conventions, OpenInference, OpenLLMetry, and the Vercel AI SDK.
_OF_MODEL = re.compile(r"(gen_ai|llm|openinference|traceloop|ai)\.")
_TOOL_RESULT = "gen_ai.tool.call.result"
_OF_ITEM = words("name attributes events links status body eventName severityText")
_ENDS = ("endTimeUnixNano", "timeUnixNano", "observedTimeUnixNano", "startTimeUnixNano")
_STARTS = _ENDS[::-1]


class _Span(NamedTuple):
    """A span or log record: its answers by their event, None for its own, and its documents.

    An answer of uncertain shape is used only if no call below the span has one. `emptied` has its
    events, without the content of those with an answer.
    """

    item: dict[str, Any]
    answers: dict[int | None, dict[str, Any]]
    documents: list[Any]
    emptied: Sequence[dict[str, Any]]
    is_certain: bool

    @property
    def trace(self) -> str:
        return str(self.item.get("traceId", ""))

    @property
    def end_ns(self) -> int:
        return _first_time(self.item, _ENDS)


def concerns_model(batch: Mapping[str, Any]) -> bool:
    """Return whether a span or log record is of a call of a model, or of what gives it facts."""
    return any(_is_of_model(item) for signal in _SIGNALS for item in items_in(batch, signal))


def _is_of_model(item: dict[str, Any]) -> bool:
    span = _read(item)
    holders = (item, *objects_in(item, "events"))
    names = (name for holder in holders for name in _attributes(holder.get("attributes")))
    return bool(span.answers or span.documents) or any(
        _OF_MODEL.match(name) is not None for name in names
    )


def _unwrap(batch: Mapping[str, Any]) -> Iterator[CarriedBody]:
    is_empty = True
    for body in chain.from_iterable(_unwrap_signal(batch, signal) for signal in _SIGNALS):
        is_empty = False
        yield body
    if is_empty:
        raise UnreadableAnswer(
            "The OTLP batch has no span or log record with an answer: switch on the capture of"
            " message content in the instrumentation, and send the spans of a trace in one batch."
        )


def _unwrap_signal(batch: Mapping[str, Any], signal: Signal) -> Iterator[CarriedBody]:
    beside = _beside_items(batch, signal)
    spans = list(map(_read, items_in(batch, signal)))
    services = list(_services(batch, signal))
    answering = _answering(spans)
    below: dict[int, list[_Span]] = {}
    shared: dict[str, list[_Span]] = {}
    for number, span in enumerate(spans):
        if (top := answering[number]) is not None:
            below.setdefault(top, []).append(span)
        elif span.trace and (
            span.documents or any(names_of_unread(_unread_of(span.item), is_text_lacking=False))
        ):  # what is not read could be the facts of the trace
            shared.setdefault(span.trace, []).append(span)
    for top, own in below.items():
        span = spans[top]
        beside_trace = shared.get(span.trace, ())
        others = [each for each in beside_trace if _first_time(each.item, _STARTS) <= span.end_ns]
        for event, answer in _chosen(span, own).items():
            alone = [each.item for each in (*own, *others) if each is not span]
            items = [_item_with_answer(span, event), *alone]
            yield CarriedBody(
                body=_with_facts(answer, (*own, *others))
                if span.is_certain or is_readable(answer)
                else without_text(),
                attributes=_attributes_of(span, event)
                | text_attributes(groundwatch_carrier_engine=services[top]),
                alone=beside | {signal.resources: [{signal.scopes: [{signal.items: items}]}]},
            )


def _beside_items(batch: Mapping[str, Any], signal: Signal) -> dict[str, Any]:
    """Return unknown fields of a batch, and of its resources and scopes."""
    resources = objects_in(batch, signal.resources)
    scopes = [scope for each in resources for scope in objects_in(each, signal.scopes)]
    holders = [batch, *resources, *scopes]
    holders += [fields_of(each.get(name)) for each in holders for name in ("resource", "scope")]
    holders += [fields for each in holders for fields in _beside_values(each)]
    return {name: each[name] for each in holders for name in each if name not in _OF_BATCH}


def _beside_values(holder: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield unknown fields of attributes, and of their values beside the first."""
    for pair in objects_in(holder, "attributes"):
        value = pair.get("value")
        yield {name: field for name, field in pair.items() if name not in ("key", "value")}
        yield dict([*value.items()][1:]) if isinstance(value, dict) else {}


def items_in(batch: Mapping[str, Any], signal: Signal) -> Iterator[dict[str, Any]]:
    """Yield the spans or log records of a batch."""
    for resource in objects_in(batch, signal.resources):
        for scope in objects_in(resource, signal.scopes):
            yield from objects_in(scope, signal.items)


def _services(batch: Mapping[str, Any], signal: Signal) -> Iterator[object]:
    """Yield for each span or log record the name of the service that its resource is of."""
    for resource in objects_in(batch, signal.resources):
        name = _attributes(fields_of(resource.get("resource")).get("attributes")).get(SERVICE)
        for scope in objects_in(resource, signal.scopes):
            yield from (name for _ in objects_in(scope, signal.items))


def _read(item: dict[str, Any]) -> _Span:
    body = read_if_json(_value(item.get("body")))
    own = _attributes(item.get("attributes")) | (body if isinstance(body, dict) else {})
    written = list(objects_in(item, "events"))
    events = [_attributes(event.get("attributes")) for event in written]
    emptied = [
        {} if has_output(fields) else event for event, fields in zip(written, events, strict=True)
    ]
    documents = [
        each
        for fields in (own, *events)
        if not has_output(fields)
        for name in (_DOCUMENTS, _TOOL_RESULT)
        if name in fields
        for each in returned_items(fields[name])
    ]
    beside = joined_without_output(events)
    answers: dict[int | None, dict[str, Any]] = {None: beside | own} if has_output(own) else {}
    without = {name: field for name, field in own.items() if not has_output([name])}
    for number, fields in enumerate(events):
        answer = beside | without | fields
        if has_output(fields) and answer not in answers.values():
            answers[number] = answer
    inferred = InferenceSpan() if answers else read_inference(own)
    if inferred.answer:
        answers[None] = inferred.answer
    return _Span(item, answers, documents + inferred.documents, emptied, inferred.is_certain)


def _answering(spans: Sequence[_Span]) -> list[int | None]:
    """Find for each span the topmost span at or above it that has an answer, by their numbers."""
    numbers = {
        (span.trace, str(span.item["spanId"])): number
        for number, span in reversed(list(enumerate(spans)))
        if span.item.get("spanId")
    }
    parents = [numbers.get((span.trace, str(span.item.get("parentSpanId", "")))) for span in spans]
    found: dict[int, int | None] = {}
    for number in range(len(spans)):
        path: dict[int, None] = {}
        above: int | None = number
        while above is not None and above not in found and above not in path:
            path[above] = None
            above = parents[above]
        top = found.get(above) if above is not None else None
        for each in reversed(path):
            top = each if top is None and spans[each].answers else top
            found[each] = top
    return [found[number] for number in range(len(spans))]


def _chosen(span: _Span, own: Sequence[_Span]) -> dict[int | None, dict[str, Any]]:
    """Return the answers of a span; for one of uncertain shape, that of the last call below it."""
    calls = [each for each in own if each.answers and each.is_certain and each is not span]
    if span.is_certain or not calls:
        return span.answers
    last = max(calls, key=lambda each: each.end_ns)
    return {None: next(reversed(last.answers.values()))}


def _with_facts(answer: dict[str, Any], spans: Sequence[_Span]) -> dict[str, Any]:
    """Add the documents of spans, and what their calls say that tools returned, to an answer."""
    holders = [span for span in spans if all(each is not answer for each in span.answers.values())]
    calls = [call for span in holders for call in span.answers.values()]
    documents = [
        *(each for call in (answer, *calls) for each in returned_items(call.get(_DOCUMENTS, []))),
        *(each for span in spans for each in span.documents),
    ]
    returned = [each for call in calls for each in _asked(call) if _is_of_tool(each)]
    facts = {_DOCUMENTS: documents} if documents else {}
    return answer | facts | ({_ASKED: [*returned, *_asked(answer)]} if returned else {})


def _asked(answer: Mapping[str, Any]) -> list[Any]:
    messages = read_if_json(answer.get(_ASKED))
    return messages if isinstance(messages, list) else []


def _is_of_tool(message: Any) -> bool:
    if not isinstance(message, dict):
        return False
    kinds = [str(part.get("type", "")) for part in objects_in(message, "parts")]
    is_response = any(kind.endswith("tool_call_response") for kind in kinds)
    return message.get("role") in TOOLS or is_response


def _item_with_answer(span: _Span, event: int | None) -> dict[str, Any]:
    """Return the item of a span with one answer only: that of an event, by its number, or its own.

    Events of other answers are empty, and not left out: record ids have the number of the event.
    """
    item, events = span.item, [*span.emptied]
    if event is None:
        return item | {"events": events} if events else item
    events[event] = list(objects_in(item, "events"))[event]
    pairs = objects_in(item, "attributes")
    others = [pair for pair in pairs if not has_output([str(pair.get("key", ""))])]
    return item | {"events": events, "attributes": others}


def _unread(batch: Mapping[str, Any]) -> Iterator[SearchedPart]:
    yield from all_but(*(signal.resources for signal in _SIGNALS))(batch)
    for signal in _SIGNALS:
        yield from chain.from_iterable(map(_unread_of, items_in(batch, signal)))


def _unread_of(item: dict[str, Any]) -> Iterator[SearchedPart]:
    """Yield what a span or a log record holds beside what is read of it."""
    body = read_if_json(_value(item.get("body")))
    if isinstance(body, dict):
        yield from unread_attributes(body)
    else:
        yield "", {"body": body}, UNKNOWN
    for holder in (item, *objects_in(item, "events")):
        # Each of many answers is beside the emptied events of all others.
        if holder:
            yield from all_but(*_OF_ITEM)(holder)
            yield from unread_attributes(_attributes(holder.get("attributes")))
        for fields in _beside_values(holder):
            yield "", fields, UNKNOWN


def _attributes_of(span: _Span, event: int | None) -> dict[str, str]:
    ids = [str(span.item[name]) for name in ("traceId", "spanId") if span.item.get(name)]
    suffix = f"#{event}" if event else ""
    return text_attributes(
        groundwatch_repeatable_id="/".join(ids) + suffix if len(ids) > 1 else "",
        groundwatch_carrier_time=str(span.end_ns)[:-3],
        trace_id=span.item.get("traceId"),
        span_id=span.item.get("spanId"),
    )


def _first_time(item: Mapping[str, Any], names: Sequence[str]) -> int:
    """Return the first time that is there, in nanoseconds, 0 for none."""
    return next(filter(None, (whole_number(item.get(name)) for name in names)), 0)


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
    name, inner = next(iter(value.items()))
    kind = camel_case_name(name)  # the names in attributes are as written
    values = inner.get("values") if isinstance(inner, dict) else None
    if kind == "kvlistValue":
        return _attributes(values)
    if kind == "arrayValue":
        return list(map(_value, values)) if isinstance(values, list) else []
    return inner


OTLP_JSON = Carrier(
    name="OTLP",
    marks=frozenset({signal.resources for signal in _SIGNALS}),
    unread=_unread,
    detects=lambda batch: any(objects_in(batch, signal.resources) for signal in _SIGNALS),
    unwrap=_unwrap,
)
