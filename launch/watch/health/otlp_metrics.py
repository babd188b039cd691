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

_INTERVAL_MS = "60000"
_CUMULATIVE = AggregationTemporality.CUMULATIVE
_log = logging.getLogger(__name__)


@contextmanager
def otlp_metrics(collect: Callable[[], Iterable[Metric]]) -> Iterator[None]:
    """Export what `collect` returns on a thread while a `with` block lasts, and at its end."""
    exporter: Any = GrpcExporter() if otlp_protocol("METRICS") == GRPC else HttpExporter()
    resource, start_ns, ending = own_resource(), time.time_ns(), threading.Event()
    interval_s = float(os.environ.get("OTEL_METRIC_EXPORT_INTERVAL") or _INTERVAL_MS) / 1_000
    is_away = False

    def export() -> None:
        nonlocal is_away
        data = to_otlp(collect(), resource, start_ns, time.time_ns())
        failed = exporter.export(data) is not MetricExportResult.SUCCESS
        if failed and not is_away:
            _log.warning("the OTLP receiver does not take the metrics; they are sent again")
        is_away = failed

    def run() -> None:
        while not ending.wait(interval_s):
            export()

    thread = threading.Thread(target=run, name="otlp-metrics", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join(interval_s)
        if not (is_away or thread.is_alive()):
            export()
        exporter.shutdown()


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
