"""The worker's metrics under stable names, as Prometheus reads them."""

import platform
from collections.abc import Iterator, Mapping
from itertools import accumulate

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

from groundwatch import __version__
from groundwatch.launch.engine.journal import FOLDERS, Journal
from groundwatch.launch.engine.outbox_rows import KINDS, Delivered
from groundwatch.launch.http_server import Page
from groundwatch.launch.watch.posts.post_server import PostServer
from groundwatch.launch.watch.worker import Defect, Worker
from groundwatch.schemas.message import UnmappedFields, UnreadableAnswer
from groundwatch.schemas.quantities import SECOND_US
from groundwatch.schemas.verdict import ESCALATION_TAGS, Verdict
from groundwatch.transforms.grounding.client import CALLS_IN_FLIGHT
from groundwatch.transforms.grounding.errors import AnswerRefused, BadReply, Rejected, Unavailable
from groundwatch.transforms.runtime import clock, counters
from groundwatch.transforms.runtime.counters import Counter, Distribution

_VERSIONED = ("version", "beam", "python")
_PREFIX = "groundwatch_"
_MS = 1_000
_UNREADABLE = (UnreadableAnswer.__name__, UnmappedFields.__name__)
_UNCHECKED = (Defect, Unavailable, BadReply, Rejected, AnswerRefused)
ERROR_CLASSES = (*_UNREADABLE, *(each.__name__ for each in _UNCHECKED))
"""The classes of a worker's failures: each is a series from the start, so that the first counts."""

_ENDS = {
    "sent": "Results and alerts that were sent to a tool.",
    "refused": "Those that the tool refused.",
    "skipped": "Those that the tool has no place for.",
    "dropped": "Those that were dropped while the tool was away.",
}
_STATES = ("waiting", "processing", "settled")
MetricValue = float | Mapping[str, float]  # of a metric, or of each value of its label
CHECKS: Mapping[Counter, str] = {
    counters.FURTHER_ANSWERS: "Answers beyond the first of a message.",
    counters.CHECKS_OK: "Answers that were checked.",
    counters.CHECKS_FAILED: "Answers whose check failed.",
    counters.DEFERRED: "Answers whose check was deferred.",
    counters.CALLS: "Requests sent to the checker, failed and repeated ones included.",
    counters.CHARACTERS: "Characters of answers and facts in these requests.",
    counters.RETRIES: "Requests that repeat another one.",
}
"""Counters of this process: a batch that is processed again counts again."""


class Metrics(Collector):
    """Collect the metrics at each request; the journal's connection is for that thread."""

    def __init__(self, worker: Worker, journal: Journal, posts: PostServer | None = None) -> None:
        self._worker = worker
        self._posts = posts
        self._journal = journal
        self._registry = CollectorRegistry()
        self._registry.register(self)
        ProcessCollector(registry=self._registry)

    def page(self, accept: str) -> Page:
        """Answer ``/metrics``, in the format that the Accept header asks for."""
        encode, content_type = choose_encoder(accept)
        return Page(200, content_type, encode(self._registry))

    def collect(self) -> Iterator[Metric]:
        yield from self._of_answers()
        yield from self._of_the_subscription()
        if self._posts:
            yield from self._of_posts(self._posts)
        yield from self._of_destinations()
        yield from self._of_the_worker()

    def _of_answers(self) -> Iterator[Metric]:
        # The counts of answers add up as the ledger does.
        counts = self._journal.totals()
        failures = counts.failures_by_error
        unreadable = sum(failures.get(name, 0) for name in _UNREADABLE)
        verdicts = {verdict.value: counts.verdicts.get(verdict, 0) for verdict in Verdict}
        escalations = {tag.value: counts.escalations.get(tag, 0) for tag in ESCALATION_TAGS}
        classes = dict.fromkeys(ERROR_CLASSES, 0) | failures
        retryable = counts.retryable_failures
        yield _counter("messages_read", "Answers that were read and finished.", counts.read)
        yield _counter("parse_failed", "Answers that cannot be read.", unreadable)
        yield _counter("archives_damaged", "Damaged archives.", counts.damaged_archives)
        meaning = "Answers dropped because of their record id."
        yield _counter("duplicates_seen", meaning, counts.duplicates)
        yield _counter("sampled_out", "Answers that are not in the sample.", counts.sampled_out)
        yield _counter("answers", "Enriched answers by verdict.", verdicts, "verdict")
        meaning = "Answers for the second of two checkers, by tag."
        yield _counter("escalations", meaning, escalations, "tag")
        yield _counter("failures", "Failures by class of error.", classes, "error_class")
        yield _counter("failures_retryable", "Failures that a replay may resolve.", retryable)
        ledger_gap = sum(hour.gap for hour in self._journal.ledger())
        yield _gauge("ledger_gap", "Messages that ended nowhere; 0 is healthy.", ledger_gap)
        for counter, meaning in CHECKS.items():
            yield _counter(counter.name, meaning, counter.value)
        yield _gauge("calls_in_flight", "Calls that wait for a reply.", len(CALLS_IN_FLIGHT))
        meaning = "From an answer's first request to its last reply."
        yield _histogram("check_seconds", meaning, counters.CHECK_LATENCY_MS)

    def _of_posts(self, posts: PostServer) -> Iterator[Metric]:
        metric = CounterMetricFamily(
            f"{_PREFIX}post_requests", "Requests by path and status.", labels=("path", "status")
        )
        for (path, status), count in posts.requests.copy().items():
            metric.add_metric((path, str(status)), count)
        yield metric
        yield _counter("post_bytes", "Size of all bodies that were received.", posts.body_bytes)

    def _of_the_subscription(self) -> Iterator[Metric]:
        stats = self._worker.subscription.stats()
        states = {name: getattr(stats, name) for name in _STATES}
        yield _gauge("outstanding_messages", "Messages received, by state.", states, "state")
        meaning = "Messages of them that wait for a check, or to be processed again."
        yield _gauge("deferred_messages", meaning, self._worker.waiting)
        yield _gauge("outstanding_bytes", "Size of all outstanding messages.", stats.size_bytes)
        meaning = "Messages whose leases are not extended any more."
        yield _gauge("leases_overdue", meaning, stats.overdue)
        meaning = "Age of the oldest outstanding message."
        yield _gauge("oldest_unacked_age_seconds", meaning, stats.oldest_unacked_age_s)
        meaning = "Deliveries of messages that were outstanding."
        yield _counter("redelivered", meaning, stats.redelivered)
        yield _gauge("pubsub_up", "1 while Pub/Sub answers.", stats.is_available)

    def _of_destinations(self) -> Iterator[Metric]:
        journal, destinations = self._journal, self._worker.destinations
        up = {each.kind: not each.problem for each in destinations}
        meaning = "1 while a topic or tool takes what is sent to it."
        yield _gauge("destination_up", meaning, up, "target")
        age_s = {each.kind: each.waiting_for_s for each in destinations}
        meaning = "Age of the oldest row of a target."
        yield _gauge("oldest_undelivered_age_seconds", meaning, age_s, "target")
        # Also of a target that has had no row: Prometheus sees no increase in a series that begins
        # at its value. The rows of topics are counted as unpublished.
        pending, delivered = journal.outbox.pending(), journal.outbox.delivered()
        targets = (age_s | pending | delivered).keys() - KINDS.values()
        rows = {target: pending.get(target, 0) for target in sorted(targets)}
        meaning = "Results and alerts that wait for a tool."
        yield _gauge("outbox_pending", meaning, rows, "target")
        for end, meaning in _ENDS.items():
            rows = {each: getattr(delivered.get(each, Delivered()), end) for each in rows}
            yield _counter(f"outbox_{end}", meaning, rows, "target")
        meaning = "From the publication of a message to that of its alert."
        yield _histogram("publish_to_alert_seconds", meaning, counters.ALERT_LATENCY_MS)

    def _of_the_worker(self) -> Iterator[Metric]:
        worker, journal = self._worker, self._journal
        waiting = journal.waiting()
        rows = {
            topic: journal.outbox.count(topic) + (waiting[kind].rows if kind in waiting else 0)
            for topic, kind in FOLDERS.items()
        }
        yield _gauge("unpublished", "Alerts and failures that are not published yet.", rows, "kind")
        outcomes = {"done": worker.batches_done, "failed": worker.batches_failed}
        yield _counter("batches", "Batches by how they ended.", outcomes, "outcome")
        batches = max((each.batches for each in waiting.values()), default=0)
        meaning = "Batches whose rows are durable and in no final file yet."
        yield _gauge("unpublished_batches", meaning, batches)
        oldest_us = min((each.oldest_committed_at_us for each in waiting.values()), default=0)
        age_s = max(0.0, (clock.now_us() - oldest_us) / SECOND_US) if oldest_us else 0.0
        meaning = "Age of the oldest unpublished batch."
        yield _gauge("oldest_unpublished_age_seconds", meaning, age_s)
        meaning = "Publications of files that failed."
        yield _counter("failed_publications", meaning, worker.publisher.failed)
        incidents = worker.monitor.open_incident_counts
        yield _gauge("open_incidents", "Incidents that are open.", incidents, "kind")
        yield _gauge("healthy", "1 while /healthz answers ok.", not worker.health.reasons())
        info = GaugeMetricFamily(_PREFIX + "build_info", "Versions.", labels=_VERSIONED)
        info.add_metric([__version__, beam.__version__, platform.python_version()], 1)
        yield info


def _counter(name: str, meaning: str, value: MetricValue, *label: str) -> Metric:
    return _with_samples(CounterMetricFamily(_PREFIX + name, meaning, labels=label), value)


def _gauge(name: str, meaning: str, value: MetricValue, *label: str) -> Metric:
    return _with_samples(GaugeMetricFamily(_PREFIX + name, meaning, labels=label), value)


def _with_samples(family: CounterMetricFamily | GaugeMetricFamily, value: MetricValue) -> Metric:
    if isinstance(value, Mapping):
        for label, number in value.items():
            family.add_metric([label], number)
    else:
        family.add_metric([], value)
    return family


def _histogram(name: str, meaning: str, latency_ms: Distribution) -> Metric:
    """Make a histogram in seconds, which is Prometheus' unit."""
    bounds = [*(str(bound / _MS) for bound in latency_ms.bounds), "+Inf"]
    buckets = list(zip(bounds, accumulate(latency_ms.bins), strict=True))
    return HistogramMetricFamily(
        _PREFIX + name, meaning, buckets=buckets, sum_value=latency_ms.sum / _MS
    )
