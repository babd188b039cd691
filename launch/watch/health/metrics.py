"""The worker's metrics under stable names, as Prometheus reads them."""

import platform
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate
from types import MappingProxyType

import apache_beam as beam
from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from launch import __version__
from launch.pubsub.outstanding import SubscriptionStats
from launch.watch.health.status_server import Page
from schemas import Record
from schemas.message import UnmappedFields, UnreadableAnswer
from schemas.summary import RunCounts
from schemas.verdict import Verdict
from transforms.grounding.client import CallsInFlight
from transforms.runtime import counters
from transforms.runtime.counters import Counter, Distribution

_HTTP_OK = 200
_PREFIX = "groundwatch_"
_MS = 1_000

CHECKS: Mapping[Counter, str] = MappingProxyType(
    {
        counters.CHECKS_OK: "Answers that were checked.",
        counters.CHECKS_FAILED: "Answers whose check failed.",
        counters.LEFT: "Answers whose check was put off.",
        counters.CALLS: "Requests sent to the checker, failed and repeated ones included.",
        counters.CHARACTERS: "Characters of answers and facts in these requests.",
        counters.RETRIES: "Requests that repeat another one.",
    }
)
"""Requests of this process to the checker: a batch that is processed again counts again, and so do
canaries, which have to be paid for."""


class WorkerStats(Record, frozen=True, kw_only=True):
    """Statistics of the worker's own work.

    Attributes:
      counts: of all answers in its ledger.
      batches_done, batches_failed: how many ended how, since this process began.
      ledger_gap: how many messages ended nowhere, over the whole ledger; 0 is healthy.
      unpublished_alerts, unpublished_failures: those that are durable and not published.
      unpublished_batches: batches whose rows are durable and in no final file yet.
      oldest_unpublished_age_s: seconds since the first of them was committed; 0 for none.
      failed_publications: publications of files that failed, since this process began.
      set_aside_rows: rows in damaged parts, which are in no final file.
      open_rate_incidents, open_no_data_incidents: how many have opened and not closed.
    """

    counts: RunCounts = RunCounts()
    batches_done: int = 0
    batches_failed: int = 0
    ledger_gap: int = 0
    unpublished_alerts: int = 0
    unpublished_failures: int = 0
    unpublished_batches: int = 0
    oldest_unpublished_age_s: float = 0.0
    failed_publications: int = 0
    set_aside_rows: int = 0
    open_rate_incidents: int = 0
    open_no_data_incidents: int = 0


class Metrics(Collector):
    """Collect the metrics of this process, with their values at the time of each request.

    Args:
      subscription: reads the statistics of the subscription.
      worker: reads the statistics of the worker.
      is_healthy: whether the worker is healthy.
    """

    def __init__(
        self,
        subscription: Callable[[], SubscriptionStats],
        worker: Callable[[], WorkerStats],
        is_healthy: Callable[[], bool],
    ) -> None:
        self._subscription = subscription
        self._worker = worker
        self._is_healthy = is_healthy
        self._registry = CollectorRegistry()
        self._registry.register(self)
        ProcessCollector(registry=self._registry)

    def page(self, accept: str) -> Page:
        """Answer ``/metrics``, in the format that the Accept header asks for."""
        encode, content_type = choose_encoder(accept)
        return Page(_HTTP_OK, content_type, encode(self._registry))

    def collect(self) -> Iterator[Metric]:
        """Collect all metrics."""
        worker = self._worker()
        yield from _of_answers(worker.counts)
        yield from _of_checks()
        yield from _of_subscription(self._subscription())
        yield from _of_worker(worker)
        yield _gauge("healthy", "1 while /healthz answers ok.", self._is_healthy())
        build = {
            "version": __version__,
            "beam": beam.__version__,
            "python": platform.python_version(),
        }
        info = GaugeMetricFamily(_PREFIX + "build_info", "Versions.", labels=list(build))
        info.add_metric(list(build.values()), 1)
        yield info


def _of_answers(counts: RunCounts) -> Iterator[Metric]:
    """Collect the counts of answers; they add up as the ledger does."""
    yield _counter("messages_read", "Answers that were read and finished.", counts.read)
    unreadable = sum(
        counts.failures_by_error.get(error.__name__, 0)
        for error in (UnreadableAnswer, UnmappedFields)
    )
    yield _counter("parse_failed", "Answers that cannot be read.", unreadable)
    yield _counter("archives_damaged", "Damaged archives.", counts.damaged_archives)
    yield _counter(
        "duplicates_seen", "Answers dropped because of their record id.", counts.duplicates
    )
    yield _counter("sampled_out", "Answers that are not in the sample.", counts.sampled_out)
    by_verdict = {verdict.value: counts.verdicts.get(verdict, 0) for verdict in Verdict}
    yield _counter("answers", "Enriched answers by verdict.", by_verdict, "verdict")
    yield _counter(
        "failures", "Failures by class of error.", counts.failures_by_error, "error_class"
    )
    yield _counter(
        "failures_retryable", "Failures that a replay may resolve.", counts.retryable_failures
    )


def _of_checks() -> Iterator[Metric]:
    further = counters.FURTHER_ANSWERS
    yield _counter(further.name, "Answers beyond the first of a message.", further.value)
    for counter, meaning in CHECKS.items():
        yield _counter(counter.name, meaning, counter.value)
    yield _gauge("calls_in_flight", "Calls that wait for a reply.", CallsInFlight.count)
    yield _histogram(
        "check_seconds",
        "From an answer's first request to its last reply.",
        counters.CHECK_LATENCY_MS,
    )


def _of_subscription(stats: SubscriptionStats) -> Iterator[Metric]:
    yield _gauge(
        "outstanding_messages",
        "Messages received and waiting, in processing, or acked or nacked and not yet accepted.",
        {
            "waiting": stats.waiting,
            "processing": stats.processing,
            "settled": stats.settled,
        },
        "state",
    )
    yield _gauge("outstanding_bytes", "Size of all outstanding stats.", stats.size_bytes)
    yield _gauge(
        "leases_overdue",
        "Messages outstanding for so long that their leases are not extended any more.",
        stats.overdue,
    )
    yield _gauge(
        "oldest_unacked_age_seconds",
        "Since the oldest outstanding message was published; 0 for none.",
        stats.oldest_unacked_age_s,
    )
    yield _counter(
        "redelivered", "Deliveries of messages that were outstanding.", stats.redelivered
    )
    yield _gauge("pubsub_up", "1 while Pub/Sub answers.", stats.is_available)


def _of_worker(stats: WorkerStats) -> Iterator[Metric]:
    batches = {"done": stats.batches_done, "failed": stats.batches_failed}
    yield _counter("batches", "Batches by how they ended.", batches, "outcome")
    yield _gauge("ledger_gap", "Messages that ended nowhere; 0 is healthy.", stats.ledger_gap)
    unpublished = {"alert": stats.unpublished_alerts, "failure": stats.unpublished_failures}
    yield _gauge(
        "unpublished", "Alerts and failures that are not published yet.", unpublished, "kind"
    )
    yield _gauge(
        "unpublished_batches",
        "Batches whose rows are durable and in no final file yet.",
        stats.unpublished_batches,
    )
    yield _gauge(
        "oldest_unpublished_age_seconds",
        "Seconds since the first of the unpublished batches was committed; 0 for none.",
        stats.oldest_unpublished_age_s,
    )
    yield _counter(
        "failed_publications", "Publications of files that failed.", stats.failed_publications
    )
    yield _gauge(
        "set_aside_rows",
        "Rows in damaged parts, which are in no final file.",
        stats.set_aside_rows,
    )
    yield _histogram(
        "publish_to_alert_seconds",
        "From the publication of a message to that of its alert.",
        counters.ALERT_LATENCY_MS,
    )
    incidents = {"rate": stats.open_rate_incidents, "no_data": stats.open_no_data_incidents}
    yield _gauge("open_incidents", "Incidents that are open.", incidents, "kind")


def _counter(
    name: str, meaning: str, value: float | Mapping[str, float], label: str | None = None
) -> Metric:
    return _family(CounterMetricFamily, name, meaning, value, label)


def _gauge(
    name: str, meaning: str, value: float | Mapping[str, float], label: str | None = None
) -> Metric:
    return _family(GaugeMetricFamily, name, meaning, value, label)


def _family(
    kind: type[CounterMetricFamily | GaugeMetricFamily],
    name: str,
    meaning: str,
    value: float | Mapping[str, float],
    label: str | None,
) -> Metric:
    """Make a metric of one value, or of one for each value of a label."""
    family = kind(_PREFIX + name, meaning, labels=[label] if label else [])
    for labelled, number in value.items() if isinstance(value, Mapping) else [(None, value)]:
        family.add_metric([labelled] if labelled is not None else [], number)
    return family


def _histogram(name: str, meaning: str, latency_ms: Distribution) -> Metric:
    """Make a histogram in seconds, which is Prometheus' unit."""
    bounds = [*(str(bound / _MS) for bound in latency_ms.bounds), "+Inf"]
    buckets = list(zip(bounds, accumulate(latency_ms.bins), strict=True))
    return HistogramMetricFamily(
        _PREFIX + name, meaning, buckets=buckets, sum_value=latency_ms.sum / _MS
    )
