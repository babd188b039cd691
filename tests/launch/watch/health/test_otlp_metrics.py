"""The worker's metrics over OTLP: the values of /metrics, by OpenTelemetry's own types."""

import threading
from collections.abc import Iterable, Iterator

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)

from launch.watch.health import otlp_metrics as module
from launch.watch.health.otlp_metrics import otlp_metrics
from tests.support.otlp_receiver import attributes_of, otlp_receiver
from tests.support.results_server import Reply, ResultsServer, results_server
from tests.support.waiting import wait_until


@pytest.fixture
def server() -> Iterator[ResultsServer]:
    with results_server() as server:
        yield server


def families() -> Iterable[Metric]:
    answers = CounterMetricFamily("gw_answers", "Answers.", labels=["verdict"])
    answers.add_metric(["GROUNDED"], 4)
    answers.add_metric(["LOW_GROUNDED"], 1)
    buckets = [("0.1", 2.0), ("1.0", 5.0), ("+Inf", 6.0)]
    latency = HistogramMetricFamily("gw_seconds", "Latency.", buckets=buckets, sum_value=7.5)
    return [answers, GaugeMetricFamily("gw_up", "Up.", value=1), latency]


def assert_are_the_families(request: ExportMetricsServiceRequest) -> None:
    (resource,) = request.resource_metrics
    assert attributes_of(resource.resource.attributes)["service.name"] == "groundwatch"
    answers, up, latency = resource.scope_metrics[0].metrics
    points = {attributes_of(p.attributes)["verdict"]: p.as_double for p in answers.sum.data_points}
    assert (answers.name, answers.sum.is_monotonic) == ("gw_answers", True)
    assert points == {"GROUNDED": 4, "LOW_GROUNDED": 1}
    assert [point.as_double for point in up.gauge.data_points] == [1]
    (point,) = latency.histogram.data_points
    assert list(point.bucket_counts) == [2, 3, 1]
    assert list(point.explicit_bounds) == [0.1, 1.0]
    assert (point.count, point.sum, point.HasField("max")) == (6, 7.5, False)


def test_metrics_over_http_at_the_interval_and_at_the_end(
    server: ResultsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.url)
    monkeypatch.setenv("OTEL_METRIC_EXPORT_INTERVAL", "20")
    with otlp_metrics(families):
        wait_until(lambda: server.received)
        before = len(server.received)
    assert len(server.received) > before
    assert {each.path for each in server.received} == {"/v1/metrics"}
    assert_are_the_families(ExportMetricsServiceRequest.FromString(server.received[0].body))


def test_metrics_over_grpc(monkeypatch: pytest.MonkeyPatch) -> None:
    with otlp_receiver() as receiver:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url)
        with otlp_metrics(families):
            pass
        (request,) = receiver.metrics
    assert_are_the_families(request)


def test_a_receiver_that_is_away_is_named_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.2")
    monkeypatch.setenv("OTEL_METRIC_EXPORT_INTERVAL", "10")
    with otlp_metrics(families):
        wait_until(lambda: caplog.messages)
    assert caplog.messages == ["the OTLP receiver does not take the metrics; they are sent again"]


def test_metrics_that_cannot_be_collected_once_are_collected_again(
    server: ResultsServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    collections = iter([OSError("the journal is locked"), *[families()] * 999])

    def collect() -> Iterable[Metric]:
        collected = next(collections)
        if isinstance(collected, OSError):
            raise collected
        return collected

    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.url)
    monkeypatch.setenv("OTEL_METRIC_EXPORT_INTERVAL", "10")
    with otlp_metrics(collect):
        wait_until(lambda: bool(server.received))
    assert caplog.messages == ["the journal is locked; they are sent again"]


def test_an_interval_in_words_is_named_and_ignored(
    server: ResultsServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.url)
    monkeypatch.setenv("OTEL_METRIC_EXPORT_INTERVAL", "10s")
    with otlp_metrics(families):
        pass
    assert caplog.messages == [
        "OTEL_METRIC_EXPORT_INTERVAL is '10s', and should be milliseconds: it is ignored"
    ]
    assert len(server.received) == 1


def test_a_receiver_that_hangs_does_not_hold_up_the_end(
    server: ResultsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs = threading.Event()
    server.answer = lambda _: Reply(wait_for=hangs)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.url)
    monkeypatch.setattr(module, "_END_WITHIN_S", 0.1)
    with otlp_metrics(families):
        pass
    wait_until(lambda: bool(server.received))
    hangs.set()
