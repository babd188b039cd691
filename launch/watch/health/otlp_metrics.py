"""Send the worker's metrics over OTLP: the same values as /metrics, at an interval."""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import (
    OTLPMetricExporter as GrpcExporter,
)
from opentelemetry.exporter.otlp.proto.http.metric_exporter import (
    OTLPMetricExporter as HttpExporter,
)
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Gauge,
    Histogram,
    HistogramDataPoint,
    MetricExportResult,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from opentelemetry.sdk.metrics.export import Metric as OtlpMetric
from opentelemetry.sdk.resources import Resource
from prometheus_client.metrics_core import Metric
from prometheus_client.samples import Sample

from launch.export.otlp import GRPC, SCOPE, otlp_protocol, own_resource

_INTERVAL, _DEFAULT_INTERVAL_S = "OTEL_METRIC_EXPORT_INTERVAL", 60.0
_END_WITHIN_S = 5.0
_CUMULATIVE = AggregationTemporality.CUMULATIVE
_log = logging.getLogger(__name__)


@contextmanager
def otlp_metrics(collect: Callable[[], Iterable[Metric]]) -> Iterator[None]:
    """Export what `collect` returns on a thread while a `with` block lasts, and at its end.

    The end takes at most five seconds.
    """
    exporter: Any = GrpcExporter() if otlp_protocol("METRICS") == GRPC else HttpExporter()
    resource, start_ns, ending = own_resource(), time.time_ns(), threading.Event()
    interval_s = _interval_s()

    def export() -> str | None:
        try:
            data = to_otlp(collect(), resource, start_ns, time.time_ns())
        except OSError as error:
            return str(error)
        is_done = exporter.export(data) is MetricExportResult.SUCCESS
        return None if is_done else "the OTLP receiver does not take the metrics"

    def run() -> None:
        earlier: str | None = None
        is_last = False
        while not is_last:
            is_last = ending.wait(interval_s)
            problem = export()
            if problem and problem != earlier:
                _log.warning("%s; they are sent again", problem)
            earlier = problem
        exporter.shutdown()

    thread = threading.Thread(target=run, name="otlp-metrics", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join(_END_WITHIN_S)


def _interval_s() -> float:
    text = os.environ.get(_INTERVAL, "")
    if text.isdecimal() and int(text):
        return int(text) / 1_000
    if text:
        _log.warning("%s is %r, and should be milliseconds: it is ignored", _INTERVAL, text)
    return _DEFAULT_INTERVAL_S


def to_otlp(
    families: Iterable[Metric], resource: Resource, start_ns: int, now_ns: int
) -> MetricsData:
    """Convert Prometheus' metric families to OTLP; `start_ns` is when their counters began."""
    metrics = [_metric(family, start_ns, now_ns) for family in families]
    scope = ScopeMetrics(scope=SCOPE, metrics=metrics, schema_url="")
    return MetricsData([ResourceMetrics(resource=resource, scope_metrics=[scope], schema_url="")])


def _metric(family: Metric, start_ns: int, now_ns: int) -> OtlpMetric:
    data: Sum | Gauge | Histogram
    if family.type == "histogram":
        data = Histogram([_histogram(family.samples, start_ns, now_ns)], _CUMULATIVE)
    else:
        points = [
            NumberDataPoint(each.labels, start_ns, now_ns, float(each.value))
            for each in family.samples
        ]
        is_counter = family.type == "counter"
        data = Sum(points, _CUMULATIVE, is_monotonic=True) if is_counter else Gauge(points)
    return OtlpMetric(family.name, family.documentation, family.unit, data)


def _histogram(samples: Sequence[Sample], start_ns: int, now_ns: int) -> HistogramDataPoint:
    """Convert the cumulative buckets of a histogram without labels."""
    buckets = [each for each in samples if each.name.endswith("_bucket")]
    cumulative = [0, *(int(each.value) for each in buckets)]
    total = next((each.value for each in samples if each.name.endswith("_sum")), 0.0)
    return HistogramDataPoint(
        attributes={},
        start_time_unix_nano=start_ns,
        time_unix_nano=now_ns,
        count=cumulative[-1],
        sum=total,
        bucket_counts=[later - earlier for earlier, later in pairwise(cumulative)],
        explicit_bounds=[float(each.labels["le"]) for each in buckets[:-1]],
        min=None,  # type: ignore[arg-type] # not known, and optional in OTLP
        max=None,  # type: ignore[arg-type]
    )
