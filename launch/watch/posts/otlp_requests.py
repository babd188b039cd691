"""Read and answer the requests of OpenTelemetry's exporters: OTLP over HTTP.

Source: https://opentelemetry.io/docs/specs/otlp/#otlphttp
"""

import base64
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec
from google.protobuf import json_format
from google.protobuf.message import DecodeError
from google.rpc.code_pb2 import INVALID_ARGUMENT, UNAVAILABLE
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2 as logs
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as traces

from groundwatch.launch.http_server import Page
from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.wire.json_input import objects_in, reject_deep
from groundwatch.transforms.formats.carriers.otlp_json import LOGS, SPANS, Signal, items_in

JSON, PROTOBUF = "application/json", "application/x-protobuf"
_IDS = ("traceId", "spanId", "parentSpanId")
_BAD_REQUEST = 400


class OtlpSignal(NamedTuple):
    """The messages of a signal, and the names of their fields in JSON."""

    request: Any
    response: Any
    rejected: str
    fields: Signal


SIGNALS = {
    "/v1/traces": OtlpSignal(
        *(traces.ExportTraceServiceRequest, traces.ExportTraceServiceResponse, "rejectedSpans"),
        SPANS,
    ),
    "/v1/logs": OtlpSignal(
        *(logs.ExportLogsServiceRequest, logs.ExportLogsServiceResponse, "rejectedLogRecords"), LOGS
    ),
}
"""The signals that can have answers, by the path of their requests."""


def read_batch(signal: OtlpSignal, body: bytes, content_type: str) -> dict[str, Any]:
    """Read a request as OTLP in JSON, whichever way it is encoded; raise UnreadableAnswer."""
    if content_type == JSON:
        try:
            written = msgspec.json.decode(body, type=dict[str, Any])
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            raise UnreadableAnswer(f"The request is not JSON: {error}") from None
        reject_deep(written)
        return written
    try:
        request = signal.request.FromString(body)
    except DecodeError:
        name = signal.request.DESCRIPTOR.name
        raise UnreadableAnswer(f"The request is not an {name} in protobuf.") from None
    batch = json_format.MessageToDict(request, use_integers_for_enums=True)
    for item in items_in(batch, signal.fields):
        # OTLP in JSON has them in hexadecimal, protobuf's own JSON in base64.
        item |= {name: base64.b64decode(item[name]).hex() for name in _IDS if name in item}
    return batch


def by_trace(batch: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Divide the spans of a batch into one for each trace, by its id; "" without one."""
    divided: dict[str, dict[str, Any]] = {}
    for resource in objects_in(batch, SPANS.resources):
        for scope in objects_in(resource, SPANS.scopes):
            spans: dict[str, list[Any]] = {}
            for span in objects_in(scope, SPANS.items):
                spans.setdefault(str(span.get("traceId") or ""), []).append(span)
            for trace, own in spans.items():
                alone = {**resource, SPANS.scopes: [{**scope, SPANS.items: own}]}
                divided.setdefault(trace, {SPANS.resources: []})[SPANS.resources].append(alone)
    return divided


def joined(batches: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Join batches of the same signal."""
    whole: dict[str, Any] = {}
    for batch in batches:
        for name, resources in batch.items():
            whole.setdefault(name, []).extend(resources)
    return whole


def has_root(batch: Mapping[str, Any]) -> bool:
    """Return whether a batch has a span without a parent."""
    return any(
        not str(span.get("parentSpanId") or "").strip("0") for span in items_in(batch, SPANS)
    )


def success(signal: OtlpSignal, content_type: str, unreadable: int, reason: str) -> Page:
    """Make the response to a request that was kept, with how many answers are unreadable.

    Source: https://opentelemetry.io/docs/specs/otlp/#partial-success-1
    """
    fields: dict[str, Any] = {}
    if unreadable:
        # Protobuf's JSON writes 64-bit integers as texts.
        fields["partialSuccess"] = {signal.rejected: str(unreadable), "errorMessage": reason}
    return _page(200, content_type, fields, signal.response)


def refusal(status: int, message: str, content_type: str) -> Page:
    """Make the response to a request that is not kept."""
    code = INVALID_ARGUMENT if status == _BAD_REQUEST else UNAVAILABLE
    return _page(status, content_type, {"code": code, "message": message}, Status)


def _page(status: int, content_type: str, fields: dict[str, Any], kind: Any) -> Page:
    if content_type == JSON:
        return Page(status, JSON, msgspec.json.encode(fields))
    return Page(status, PROTOBUF, json_format.ParseDict(fields, kind()).SerializeToString())
