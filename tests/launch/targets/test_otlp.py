"""Events over OTLP, received by OpenTelemetry's own protocol types."""

import threading
from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from groundwatch.launch.engine.outbox_rows import Delivered
from groundwatch.launch.targets.otlp import OtlpEvents
from groundwatch.launch.targets.target import (
    RowsRefused,
    TargetMisconfigured,
    TargetUnavailable,
    deliver,
)
from groundwatch.schemas.alert import WorstClaim
from tests.support.builders import NOON_US, RECORD_ID
from tests.support.http_messages import Received, Reply
from tests.support.otlp_receiver import attributes_of, events_in, rejecting
from tests.support.results import SPAN_ID, TRACE_ID, a_result
from tests.support.results_server import ResultsServer
from tests.support.vendor_replies import documented_reply


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    # Below the exporters' first backoff: they try once.
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.7")


LARGE_BYTES = 4_000

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


@pytest.mark.parametrize("trace_id", [None, "", "projects-1-traces-x", "z" * 32])
def test_an_event_without_a_trace_context_is_sent_all_the_same(
    server: ResultsServer, trace_id: str | None
) -> None:
    claim = WorstClaim(start=0, end=11, score=0.1, text="Lamps glow.")
    OtlpEvents(server.url).send(
        [a_result(trace_id=trace_id, span_id=None, support_score=None, worst_claim=claim)]
    )
    request = ExportLogsServiceRequest.FromString(server.received[0].body)
    ((record, attributes),) = events_in(request)
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
        (429, TargetUnavailable, "HTTP 429"),
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


def test_rejected_events_are_counted_and_none_is_sent_again(
    server: ResultsServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.answer = lambda _: Reply(body=rejecting(3).SerializeToString())
    rows = [a_result(record_id=f"r{number}") for number in range(10)]
    assert deliver(OtlpEvents(server.url), rows) == Delivered(sent=7, refused=3)
    assert len(server.received) == 1
    assert "rejects 3 events" in caplog.messages[0]
    assert "the answer said" not in caplog.text


def test_a_request_that_is_too_large_is_divided(server: ResultsServer) -> None:
    """The limit of gRPC and of many proxies is 4 MiB: HTTP 413 is no outage."""

    def answer(request: Received) -> Reply:
        return Reply(413) if len(request.body) > LARGE_BYTES else documented_reply(request)

    server.answer = answer
    rows = [a_result(record_id=f"r{number}") for number in range(100)]
    assert deliver(OtlpEvents(server.url), rows) == Delivered(sent=100, refused=0)
    taken = [each for each in server.received if len(each.body) <= LARGE_BYTES]
    sent = [
        attributes["groundwatch.record_id"]
        for each in taken
        for _, attributes in events_in(ExportLogsServiceRequest.FromString(each.body))
    ]
    assert sorted(sent) == sorted(row.record_id for row in rows)
    assert len(server.received) > len(taken)


@pytest.mark.parametrize(
    "variable", ["OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL"]
)
def test_grpc_is_refused_with_what_to_set(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "grpc")
    with pytest.raises(TargetMisconfigured, match=f"^{variable}=grpc: .*http/protobuf.*4318$"):
        OtlpEvents("http://127.0.0.1:4317")


def test_a_receiver_that_does_not_listen_may_succeed_later() -> None:
    with pytest.raises(TargetUnavailable, match=r"does not answer \(connection refused\)"):
        OtlpEvents("http://127.0.0.1:9").send([a_result()])


@pytest.mark.parametrize("address", ["http://[bad", "collector:4318", "http://127.0.0.1:99999"])
def test_an_address_that_is_none_is_a_mistake_of_the_settings(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
    with pytest.raises(TargetMisconfigured, match="correct OTEL_EXPORTER_OTLP_ENDPOINT"):
        OtlpEvents()


@pytest.mark.parametrize("name", ["CERTIFICATE", "CLIENT_CERTIFICATE", "LOGS_CLIENT_CERTIFICATE"])
def test_a_certificate_that_is_not_there_is_named(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"OTEL_EXPORTER_OTLP_{name}", "/nonexistent")
    with pytest.raises(TargetMisconfigured, match="no file /nonexistent: correct OTEL_EXPORTER"):
        OtlpEvents("https://127.0.0.1:9")


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
