"""Families of metrics as Prometheus reads them, each under the prefix ``groundwatch_``."""

from collections.abc import Mapping
from itertools import accumulate

from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)

from transforms.runtime.counters import Distribution

_PREFIX = "groundwatch_"
_MS = 1_000


def counter(name: str, meaning: str, value: float) -> Metric:
    """What only grows; its name gets the ending ``_total``."""
    return CounterMetricFamily(_PREFIX + name, meaning, value=value)


def counters(name: str, meaning: str, label: str, values: Mapping[str, float]) -> Metric:
    """What only grows, by the values of a label, which are few."""
    return _labelled(CounterMetricFamily(_PREFIX + name, meaning, labels=[label]), values)


def gauge(name: str, meaning: str, value: float) -> Metric:
    """What goes up and down."""
    return GaugeMetricFamily(_PREFIX + name, meaning, value=value)


def gauges(name: str, meaning: str, label: str, values: Mapping[str, float]) -> Metric:
    """What goes up and down, by the values of a label, which are few."""
    return _labelled(GaugeMetricFamily(_PREFIX + name, meaning, labels=[label]), values)


def build_info(facts: Mapping[str, str]) -> Metric:
    """What runs: always 1, the facts are its labels."""
    family = GaugeMetricFamily(_PREFIX + "build_info", "What runs.", labels=list(facts))
    family.add_metric(list(facts.values()), 1)
    return family


def histogram_s(name: str, meaning: str, latency_ms: Distribution) -> Metric:
    """A distribution of milliseconds as one of seconds, which is Prometheus' way."""
    bounds = [*(str(bound / _MS) for bound in latency_ms.bounds), "+Inf"]
    buckets = list(zip(bounds, accumulate(latency_ms.bins), strict=True))
    return HistogramMetricFamily(
        _PREFIX + name, meaning, buckets=buckets, sum_value=latency_ms.sum / _MS
    )


def _labelled(
    family: CounterMetricFamily | GaugeMetricFamily, values: Mapping[str, float]
) -> Metric:
    for labelled, value in values.items():
        family.add_metric([labelled], value)
    return family
