"""What a receiver of logs over OTLP reads and replies, by OpenTelemetry's own protocol types."""

from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsPartialSuccess,
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)

Attributes = dict[str, Any]


def rejecting(number: int) -> ExportLogsServiceResponse:
    """The reply that a number of records was rejected."""
    partial = ExportLogsPartialSuccess(rejected_log_records=number, error_message="the answer said")
    return ExportLogsServiceResponse(partial_success=partial)


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
