"""Events over OTLP, received by OpenTelemetry's own protocol types: over HTTP and gRPC."""

import threading
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from groundwatch.launch.engine.outbox_rows import Delivered
from groundwatch.launch.results.export.otlp import OtlpEvents
from groundwatch.launch.results.export.target import (
    RowsRefused,
    TargetMisconfigured,
    TargetUnavailable,
    deliver,
)
from groundwatch.schemas.alert import WorstClaim
from tests.support.builders import NOON_US, RECORD_ID
from tests.support.http_messages import Reply
from tests.support.otlp_receiver import (
    OtlpReceiver,
    attributes_of,
    busy,
    events_in,
    otlp_receiver,
    rejecting,
)
from tests.support.results import SPAN_ID, TRACE_ID, a_result
from tests.support.results_server import ResultsServer
from tests.support.vendor_replies import documented_reply


@pytest.fixture(scope="module")
def module_receiver() -> Iterator[OtlpReceiver]:
    with otlp_receiver() as receiver:
        yield receiver


@pytest.fixture
def receiver(module_receiver: OtlpReceiver, monkeypatch: pytest.MonkeyPatch) -> OtlpReceiver:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    module_receiver.logs.clear()
    module_receiver.answer = lambda _: 0
    return module_receiver


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    # Below the exporters' first backoff: they try once.
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.7")


EXPECTED = {
    "gen_ai.evaluation.name": "grounding",
    "gen_ai.evaluation.score.value": 0.25,
    "gen_ai.evaluation.score.label": "LOW_GROUNDED",
    "gen_ai.evaluation.explanation": "SUPPORT_SCORE; least supported claim 0.10",
    "gen_ai.response.id": "resp-1",
    "groundwatch.record_id": RECORD_ID,
    "groundwatch.reason": "SUPPORT_SCORE",
    "groundwatch.engine": "shop",
    "groundwatch.tags": ["UNSUPPORTED_CLAIM"],
    "groundwatch.min_claim_score": 0.1,
}


def assert_is_event(request: ExportLogsServiceRequest) -> None:
    ((record, attributes),) = events_in(request)
    assert record.event_name == "gen_ai.evaluation.result"
    assert (record.trace_id.hex(), record.span_id.hex()) == (TRACE_ID, SPAN_ID)
    assert record.time_unix_nano == NOON_US * 1_000
    assert attributes == EXPECTED
    resource = attributes_of(request.resource_logs[0].resource.attributes)
    assert resource["service.name"] == "groundwatch"


def test_an_event_over_http_is_on_its_span(server: ResultsServer) -> None:
    OtlpEvents(server.url).send([a_result()])
    (received,) = server.received
    assert received.path == "/v1/logs"
    assert_is_event(ExportLogsServiceRequest.FromString(received.body))


def test_an_event_over_grpc_is_on_its_span(receiver: OtlpReceiver) -> None:
    OtlpEvents(receiver.url).send([a_result()])
    (request,) = receiver.logs
    assert_is_event(request)


@pytest.mark.parametrize("trace_id", [None, "", "projects-1-traces-x", "z" * 32])
def test_an_event_without_a_trace_context_is_sent_all_the_same(
    receiver: OtlpReceiver, trace_id: str | None
) -> None:
    claim = WorstClaim(start=0, end=11, score=0.1, text="Lamps glow.")
    OtlpEvents(receiver.url).send(
        [a_result(trace_id=trace_id, span_id=None, support_score=None, worst_claim=claim)]
    )
    ((record, attributes),) = events_in(receiver.logs[0])
    assert (record.trace_id, record.span_id) == (b"", b"")
    assert attributes.get("groundwatch.trace_id") == (trace_id or None)
    explanation = "SUPPORT_SCORE; least supported claim 0.10: Lamps glow."
    assert attributes["gen_ai.evaluation.explanation"] == explanation
    assert "gen_ai.evaluation.score.value" not in attributes


@pytest.mark.parametrize(
    ("status", "error", "message"),
    [
        (400, RowsRefused, "HTTP 400"),
        (401, TargetMisconfigured, "correct OTEL_EXPORTER_OTLP_ENDPOINT"),
        (404, TargetMisconfigured, "no such address"),
        (429, TargetUnavailable, "HTTP 429"),
        (503, TargetUnavailable, "HTTP 503"),
    ],
)
def test_what_a_receiver_answers_over_http(
    server: ResultsServer, status: int, error: type[Exception], message: str
) -> None:
    server.answer = lambda _: Reply(status, b"the answer said", {"Retry-After": "30"})
    with pytest.raises(error, match=message) as raised:
        OtlpEvents(server.url).send([a_result()])
    assert "the answer said" not in str(raised.value)
    assert getattr(raised.value, "retry_after_s", 30.0) == 30.0


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (grpc.StatusCode.INVALID_ARGUMENT, RowsRefused),
        (grpc.StatusCode.UNAUTHENTICATED, TargetMisconfigured),
        (grpc.StatusCode.UNIMPLEMENTED, TargetMisconfigured),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, TargetUnavailable),
        (grpc.StatusCode.INTERNAL, TargetUnavailable),
    ],
)
def test_what_a_receiver_answers_over_grpc(
    receiver: OtlpReceiver, code: grpc.StatusCode, error: type[Exception]
) -> None:
    def end(context: grpc.ServicerContext) -> int:
        context.abort(code, "the answer said")
        return 0

    receiver.answer = end
    with pytest.raises(error) as raised:
        OtlpEvents(receiver.url).send([a_result()])
    assert "the answer said" not in str(raised.value)


def test_a_busy_receiver_over_grpc_says_how_long_to_wait(receiver: OtlpReceiver) -> None:
    def end(context: grpc.ServicerContext) -> int:
        busy(context, 30)
        return 0

    receiver.answer = end
    with pytest.raises(TargetUnavailable) as raised:
        OtlpEvents(receiver.url).send([a_result()])
    assert raised.value.retry_after_s == 30.0


@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
def test_rejected_events_are_counted_and_none_is_sent_again(
    protocol: str,
    receiver: OtlpReceiver,
    server: ResultsServer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_LOGS_PROTOCOL", protocol)
    receiver.answer = lambda _: 3
    server.answer = lambda _: Reply(body=rejecting(3).SerializeToString())
    target = OtlpEvents(receiver.url if protocol == "grpc" else server.url)
    rows = [a_result(record_id=f"r{number}") for number in range(10)]
    assert deliver(target, rows) == Delivered(sent=7, refused=3)
    assert len(receiver.logs) + len(server.received) == 1
    assert "rejects 3 events" in caplog.messages[0]
    assert "the answer said" not in caplog.text


@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
def test_a_receiver_that_does_not_listen_may_succeed_later(
    protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
    with pytest.raises(TargetUnavailable):
        OtlpEvents("http://127.0.0.1:9").send([a_result()])


def test_a_slow_receiver_may_succeed_later(server: ResultsServer) -> None:
    release = threading.Event()
    server.answer = lambda request: documented_reply(request)._replace(wait_for=release)
    with pytest.raises(TargetUnavailable):
        OtlpEvents(server.url).send([a_result()])
    release.set()


def test_the_standard_variables_are_respected(
    server: ResultsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.url)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=abc")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "chat")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
    OtlpEvents().send([a_result()])
    (received,) = server.received
    assert received.headers["api-key"] == "abc"
    request: Any = ExportLogsServiceRequest.FromString(received.body)
    resource = attributes_of(request.resource_logs[0].resource.attributes)
    assert resource["service.name"] == "chat"
    assert resource["deployment.environment.name"] == "test"


def test_an_address_without_a_scheme_is_a_mistake_of_the_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318")
    with pytest.raises(TargetMisconfigured, match="correct OTEL_EXPORTER_OTLP_ENDPOINT"):
        OtlpEvents()
