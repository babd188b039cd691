"""An OTLP receiver for logs over gRPC, made of OpenTelemetry's own protocol types."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import grpc
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import RetryInfo
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsPartialSuccess,
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.collector.logs.v1.logs_service_pb2_grpc import (
    LogsServiceServicer,
    add_LogsServiceServicer_to_server,
)

Attributes = dict[str, Any]


class OtlpReceiver(LogsServiceServicer):
    """Keep the requests; `answer` may end a call with a status, or reject some records."""

    def __init__(self) -> None:
        self.url = ""
        self.logs: list[ExportLogsServiceRequest] = []
        self.answer: Callable[[grpc.ServicerContext], int] = lambda _: 0

    def Export(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802 - the service's
        rejected = self.answer(context)
        self.logs.append(request)
        return rejecting(rejected)


def rejecting(number: int) -> ExportLogsServiceResponse:
    """The reply that a number of records was rejected."""
    partial = ExportLogsPartialSuccess(rejected_log_records=number, error_message="the answer said")
    return ExportLogsServiceResponse(partial_success=partial)


def busy(context: grpc.ServicerContext, wait_s: int) -> None:
    """End a call: the receiver is busy, and asks to wait."""
    info = RetryInfo(retry_delay=Duration(seconds=wait_s)).SerializeToString()
    context.set_trailing_metadata([("google.rpc.retryinfo-bin", info)])
    context.abort(grpc.StatusCode.UNAVAILABLE, "busy")


@contextmanager
def otlp_receiver() -> Iterator[OtlpReceiver]:
    """Run a receiver while a `with` block lasts."""
    receiver = OtlpReceiver()
    server = grpc.server(ThreadPoolExecutor(2))
    add_LogsServiceServicer_to_server(receiver, server)  # type: ignore[no-untyped-call]
    receiver.url = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        yield receiver
    finally:
        assert server.stop(None).wait(60)


def events_in(request: ExportLogsServiceRequest) -> list[tuple[Any, Attributes]]:
    """The log records of a request, each with its attributes."""
    (resource,) = request.resource_logs
    (scope,) = resource.scope_logs
    return [(record, attributes_of(record.attributes)) for record in scope.log_records]


def attributes_of(pairs: Any) -> Attributes:
    """The attributes as a dictionary."""
    return {pair.key: _value(pair.value) for pair in pairs}


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(each) for each in value.array_value.values]
    return getattr(value, kind)
