"""Send results over OTLP as `gen_ai.evaluation.result` events."""

import logging
import os
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

import grpc
import requests
from google.protobuf import json_format
from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet
from google.rpc.error_details_pb2 import RetryInfo
from opentelemetry._logs import LogRecord
from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter as HttpExporter
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import LogRecordExportResult
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import NonRecordingSpan, SpanContext, set_span_in_context

from groundwatch import __version__
from groundwatch.launch.results.export.http_sender import (
    place_of,
    reply_error,
    show_address,
    unconfirmed,
)
from groundwatch.launch.results.export.result_payloads import opentelemetry_attributes
from groundwatch.launch.results.export.target import (
    RowsRefused,
    Target,
    TargetMisconfigured,
    TargetUnavailable,
)
from groundwatch.schemas.grounding_result import GroundingResult

_EVENT = "gen_ai.evaluation.result"
_TRACE_DIGITS, _SPAN_DIGITS = 32, 16
_ADVICE = "correct OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS"
_SCOPE = InstrumentationScope("groundwatch", __version__)
_REFUSED = frozenset({grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.OUT_OF_RANGE})
_MISCONFIGURED = frozenset(
    {
        grpc.StatusCode.NOT_FOUND,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.UNIMPLEMENTED,
    }
)
# Each failure is raised; the exporters would log it once more, with the receiver's words.
logging.getLogger("opentelemetry.exporter.otlp").setLevel(logging.CRITICAL)


class OtlpEvents(Target[GroundingResult]):
    """Export an event for each result, over HTTP or gRPC, to a collector or a tool.

    The exporters read the standard variables ``OTEL_*``. A repeated event has the same
    `groundwatch.record_id`; receivers do not compare it.
    """

    name = "opentelemetry"

    def __init__(self, url: str | None = None) -> None:
        self._outcome = Outcome(self.name)
        if _protocol() == "grpc":
            self._exporter: Any = _GrpcExporter(self._outcome, url)
        else:
            session = requests.Session()
            session.hooks["response"].append(self._outcome.record_http)
            self._exporter = HttpExporter(_endpoint(url, "v1/logs"), session=session)
            show_address(self.name, self._exporter._endpoint, _ADVICE)  # noqa: SLF001
        # Of several variables.
        self.place = place_of(self._exporter._endpoint)  # noqa: SLF001
        self._resource = _own_resource()

    def send(self, rows: Sequence[GroundingResult]) -> None:
        """Export the events in one request."""
        self._outcome.begin()
        result = self._exporter.export([_event(row, self._resource) for row in rows])
        self._outcome.raise_error(is_success=result is LogRecordExportResult.SUCCESS)

    def close(self) -> None:
        self._exporter.shutdown()


class Outcome:
    """Keep the last reply to a request, since an exporter only says that it failed."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.begin()

    def begin(self) -> None:
        """Discard the reply to the previous request."""
        self._error: Exception | None = None
        self._rejected = 0

    def record_http(self, reply: requests.Response, **_: object) -> None:
        """Keep the reply to an HTTP request."""
        if reply.ok and (response := _read_response(reply.content)) is not None:
            self._record_success(response)
            return
        shown, status = show_address(self._name, reply.url, _ADVICE), reply.status_code
        if reply.ok:
            self._error = unconfirmed(shown, status, reply.content, _ADVICE)
        else:
            self._error = reply_error(shown, status, reply.headers.get("retry-after"), _ADVICE)

    def record_grpc(self, call: Any) -> None:
        """Keep the reply to a gRPC request."""
        code = call.code()
        if code is grpc.StatusCode.OK:
            self._record_success(call.result())
        elif code in _REFUSED:
            self._error = RowsRefused(code.name)
        elif code in _MISCONFIGURED:
            self._error = TargetMisconfigured(f"{self._name} refuses: {code.name}; {_ADVICE}")
        else:
            wait_s = _retry_delay_s(call.trailing_metadata() or ())
            self._error = TargetUnavailable(f"{self._name} answers {code.name}", wait_s)

    def raise_error(self, *, is_success: bool) -> None:
        """Raise what `Target.send` does, if not all events were stored."""
        if self._rejected and is_success:
            message = f"the receiver rejects {self._rejected} events"
            raise RowsRefused(message, self._rejected)
        if self._error:
            raise self._error
        if not is_success:
            raise TargetUnavailable(f"{self._name} does not answer")

    def _record_success(self, reply: ExportLogsServiceResponse) -> None:
        self._error = None
        self._rejected = reply.partial_success.rejected_log_records


class _GrpcExporter(GrpcExporter, grpc.UnaryUnaryClientInterceptor):
    """The official exporter, which reports each reply to an `Outcome`."""

    def __init__(self, outcome: Outcome, url: str | None) -> None:
        self._outcome = outcome
        super().__init__(url)

    def _initialize_channel_and_stub(self) -> None:
        # There is no public way to see a reply, with its partial success and its status.
        super()._initialize_channel_and_stub()  # type: ignore[no-untyped-call]
        self._client = self._stub(grpc.intercept_channel(self._channel, self))  # type: ignore[arg-type]

    def intercept_unary_unary(
        self, continuation: Callable[[Any, Any], Any], details: Any, request: Any
    ) -> Any:
        """Send a request, and keep its reply."""
        call = continuation(details, request)
        self._outcome.record_grpc(call)
        return call


def _read_response(content: bytes) -> ExportLogsServiceResponse | None:
    """Read the body of a success; None if it is none.

    It is empty, or protobuf; some receivers answer with JSON.
    """
    try:
        if content.lstrip()[:1] == b"{":
            response = ExportLogsServiceResponse()
            return json_format.Parse(content, response, ignore_unknown_fields=True)
        response = ExportLogsServiceResponse.FromString(content)
    except (DecodeError, json_format.ParseError):
        return None
    # A text may be protobuf by chance: "It works!" is field 9.
    return None if len(UnknownFieldSet(response)) else response


def _protocol() -> str:
    """Return the protocol that the standard variables choose: ``grpc``, or by default HTTP."""
    variables = "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"
    return next(filter(None, map(os.environ.get, variables)), "http/protobuf")


def _endpoint(url: str | None, path: str) -> str | None:
    """Add the path of a signal to an address, unless it has one."""
    if url is None or urlsplit(url).path.strip("/"):
        return url
    return f"{url.rstrip('/')}/{path}"


def _own_resource() -> Resource:
    """Return the resource of this process, with the service name ``groundwatch`` by default."""
    is_named = "service.name=" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    if is_named or os.environ.get("OTEL_SERVICE_NAME"):
        return Resource.create()
    return Resource.create({"service.name": "groundwatch"})


def _event(result: GroundingResult, resource: Resource) -> ReadableLogRecord:
    trace_id = _parse_hex(result.trace_id, _TRACE_DIGITS)
    span_id = _parse_hex(result.span_id, _SPAN_DIGITS)
    attributes = opentelemetry_attributes(result)
    if result.trace_id and not trace_id:
        attributes["groundwatch.trace_id"] = result.trace_id
    span = NonRecordingSpan(SpanContext(trace_id, span_id, is_remote=True))
    record = LogRecord(
        timestamp=None if result.event_time_us is None else max(0, result.event_time_us) * 1_000,
        context=set_span_in_context(span),
        attributes=attributes,
        event_name=_EVENT,
    )
    return ReadableLogRecord(record, resource, _SCOPE)


def _parse_hex(text: str | None, digits: int) -> int:
    """Return an id of the W3C's trace context as a number, 0 if it is not one."""
    try:
        return int(text, 16) if text and len(text) == digits else 0
    except ValueError:
        return 0


def _retry_delay_s(trailing_metadata: Sequence[tuple[str, Any]]) -> float | None:
    for key, value in trailing_metadata:
        if key == "google.rpc.retryinfo-bin":
            delay = RetryInfo.FromString(value).retry_delay
            return float(delay.seconds + delay.nanos / 1e9)
    return None
