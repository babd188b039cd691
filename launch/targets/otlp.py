"""Send results over OTLP as `gen_ai.evaluation.result` events."""

import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import requests
from google.protobuf import json_format
from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet
from opentelemetry._logs import LogRecord
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import LogRecordExportResult
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import NonRecordingSpan, SpanContext, set_span_in_context

from groundwatch import __version__
from groundwatch.schemas.grounding_result import GroundingResult
from groundwatch.transforms.runtime.network_environment import check_environment, read_variable
from groundwatch.transforms.runtime.requests_session import EnvironmentSession
from .http_sender import describe_address, no_reply, place_of, reply_error, unconfirmed
from .result_payloads import opentelemetry_attributes
from .target import RowsRefused, Target, TargetMisconfigured, TargetUnavailable

_EVENT = "gen_ai.evaluation.result"
_SUCCESS = range(200, 300)
_TRACE_DIGITS, _SPAN_DIGITS = 32, 16
_ADVICE = "correct OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS"
_SCOPE = InstrumentationScope("groundwatch", __version__)
# Each failure is raised; the exporters would log it once more, with the receiver's words.
logging.getLogger("opentelemetry.exporter.otlp").setLevel(logging.CRITICAL)


class OtlpEvents(Target[GroundingResult]):
    """Export an event for each result, over HTTP, to a collector or a tool.

    The exporter reads the standard variables ``OTEL_*``. A repeated event has the same
    `groundwatch.record_id`; receivers do not compare it.
    """

    name = "opentelemetry"

    def __init__(self, url: str | None = None) -> None:
        # The exporter would find out when it sends.
        for name in os.environ:
            if name.startswith("OTEL_"):
                read_variable(name)
        _refuse_grpc()
        self._session = _Session()
        if url is not None and not urlsplit(url).path.strip("/"):
            url = f"{url.rstrip('/')}/v1/logs"
        try:
            self._exporter: Any = OTLPLogExporter(url, session=self._session)
        except ValueError:
            raise TargetMisconfigured(f"{self.name} needs an address; {_ADVICE}") from None
        endpoint = self._exporter._endpoint  # noqa: SLF001 - of several variables
        describe_address(self.name, endpoint, _ADVICE)
        _require_files(self._session)
        check_environment(endpoint)
        self.place = place_of(endpoint)
        self._resource = _own_resource()

    def send(self, rows: Sequence[GroundingResult]) -> None:
        self._session.clear_outcome()
        result = self._exporter.export([_event(row, self._resource) for row in rows])
        self._session.raise_error(is_success=result is LogRecordExportResult.SUCCESS)

    def close(self) -> None:
        self._exporter.shutdown()


class _Session(EnvironmentSession):
    """Keep how the last request ended, since an exporter only says that it failed."""

    def __init__(self) -> None:
        super().__init__()
        self.clear_outcome()

    def clear_outcome(self) -> None:
        self._error: Exception | None = None
        self._rejected = 0

    def request(self, method: Any, url: Any, *arguments: Any, **named: Any) -> requests.Response:
        """Send a request, and keep the reply, or why there is none."""
        shown = describe_address(OtlpEvents.name, str(url), _ADVICE)
        try:
            reply = super().request(method, url, *arguments, **named)
        except requests.RequestException as error:
            self._error = TargetUnavailable(no_reply(shown, str(url), error))
            raise
        response = _read_response(reply.content)
        if reply.status_code not in _SUCCESS:
            wait = reply.headers.get("retry-after")
            self._error = reply_error(shown, reply.status_code, wait, _ADVICE)
        elif response is None:
            self._error = unconfirmed(shown, reply.status_code, reply.content, _ADVICE)
        else:
            self._error = None
            self._rejected = response.partial_success.rejected_log_records
        return reply

    def raise_error(self, *, is_success: bool) -> None:
        """Raise what `Target.send` does, if not all events were stored."""
        if self._rejected and is_success:
            raise RowsRefused(f"the receiver rejects {self._rejected} events", self._rejected)
        if self._error:
            raise self._error
        if not is_success:
            raise TargetUnavailable(f"{OtlpEvents.name} does not answer")


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


def _refuse_grpc() -> None:
    """Raise TargetMisconfigured if the standard variables choose gRPC instead of HTTP."""
    variables = ("OTEL_EXPORTER_OTLP_LOGS_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
    variable = next(filter(os.environ.get, variables), None)
    if variable and os.environ[variable] == "grpc":
        raise TargetMisconfigured(
            f"{variable}=grpc: opentelemetry is sent over HTTP; set http/protobuf, and the"
            " receiver's port of HTTP, usually 4318"
        )


def _require_files(session: requests.Session) -> None:
    """Raise TargetMisconfigured if a certificate that the standard variables name is not there."""
    own = session.cert if isinstance(session.cert, tuple) else (session.cert,)
    for path in (session.verify, *own):
        if isinstance(path, str) and not Path(path).exists():
            raise TargetMisconfigured(
                f"there is no file {path}: correct OTEL_EXPORTER_OTLP_CERTIFICATE,"
                " OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY"
            )


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
