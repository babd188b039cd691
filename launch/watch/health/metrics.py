"""The worker's metrics under stable names, as Prometheus reads them."""

import platform
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Any

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
from groundwatch.launch.engine.journal import Journal
from groundwatch.launch.engine.outbox_rows import KINDS, Delivered
from groundwatch.launch.http_server import Page
from groundwatch.launch.watch.worker import Defect, Worker
from groundwatch.schemas.message import UnmappedFields, UnreadableAnswer
from groundwatch.schemas.quantities import SECOND_US
from groundwatch.schemas.verdict import ESCALATION_TAGS, Verdict
from groundwatch.transforms.grounding.client import CALLS_IN_FLIGHT
from groundwatch.transforms.grounding.errors import (
    AnswerRefused,
    BadReply,
    Rejected,
    Unavailable,
)
from groundwatch.transforms.runtime import clock, counters
from groundwatch.transforms.runtime.counters import Counter, Distribution

_HTTP_OK = 200
_VERSIONED = ("version", "beam", "python")
_PREFIX = "groundwatch_"
_MS = 1_000
_COUNTER, _GAUGE = CounterMetricFamily, GaugeMetricFamily
_UNREADABLE = (UnreadableAnswer.__name__, UnmappedFields.__name__)
_UNCHECKED = (Defect, Unavailable, BadReply, Rejected, AnswerRefused)
ERROR_CLASSES = (*_UNREADABLE, *(each.__name__ for each in _UNCHECKED))
"""The classes of a worker's failures: each is a series from the start, so that the first counts."""

_STATES = ("waiting", "processing", "settled")
Value = float | Mapping[str, float]  # of a metric, or of each value of its label
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

METRICS: Mapping[str, tuple[Any, ...]] = {
    "messages_read": (_COUNTER, "Answers that were read and finished."),
    "parse_failed": (_COUNTER, "Answers that cannot be read."),
    "archives_damaged": (_COUNTER, "Damaged archives."),
    "duplicates_seen": (_COUNTER, "Answers dropped because of their record id."),
    "sampled_out": (_COUNTER, "Answers that are not in the sample."),
    "answers": (_COUNTER, "Enriched answers by verdict.", "verdict"),
    "escalations": (_COUNTER, "Answers for the second of two checkers, by tag.", "tag"),
    "failures": (_COUNTER, "Failures by class of error.", "error_class"),
    "failures_retryable": (_COUNTER, "Failures that a replay may resolve."),
    "calls_in_flight": (_GAUGE, "Calls that wait for a reply."),
    "outstanding_messages": (_GAUGE, "Messages received, by state.", "state"),
    "outstanding_bytes": (_GAUGE, "Size of all outstanding messages."),
    "leases_overdue": (_GAUGE, "Messages whose leases are not extended any more."),
    "oldest_unacked_age_seconds": (_GAUGE, "Age of the oldest outstanding message."),
    "redelivered": (_COUNTER, "Deliveries of messages that were outstanding."),
    "pubsub_up": (_GAUGE, "1 while Pub/Sub answers."),
    "batches": (_COUNTER, "Batches by how they ended.", "outcome"),
    "ledger_gap": (_GAUGE, "Messages that ended nowhere; 0 is healthy."),
    "unpublished": (_GAUGE, "Alerts and failures that are not published yet.", "kind"),
    "destination_up": (_GAUGE, "1 while a topic or tool takes what is sent to it.", "target"),
    "oldest_undelivered_age_seconds": (_GAUGE, "Age of the oldest row of a target.", "target"),
    "outbox_pending": (_GAUGE, "Results and alerts that wait for a tool.", "target"),
    "outbox_sent": (_COUNTER, "Results and alerts that were sent to a tool.", "target"),
    "outbox_refused": (_COUNTER, "Those that the tool refused.", "target"),
    "outbox_skipped": (_COUNTER, "Those that the tool has no place for.", "target"),
    "outbox_dropped": (_COUNTER, "Those that were dropped while the tool was away.", "target"),
    "unpublished_batches": (_GAUGE, "Batches whose rows are durable and in no final file yet."),
    "oldest_unpublished_age_seconds": (_GAUGE, "Age of the oldest unpublished batch."),
    "failed_publications": (_COUNTER, "Publications of files that failed."),
    "open_incidents": (_GAUGE, "Incidents that are open.", "kind"),
    "healthy": (_GAUGE, "1 while /healthz answers ok."),
    **{counter.name: (_COUNTER, meaning) for counter, meaning in CHECKS.items()},
}
"""The type, the meaning and the label of each metric."""


class Metrics(Collector):
    """Collect the metrics at each request; the journal's connection is for that thread."""

    def __init__(self, worker: Worker, journal: Journal, is_healthy: Callable[[], bool]) -> None:
        self._worker = worker
        self._journal = journal
        self._is_healthy = is_healthy
        self._registry = CollectorRegistry()
        self._registry.register(self)
        ProcessCollector(registry=self._registry)

    def page(self, accept: str) -> Page:
        """Answer ``/metrics``, in the format that the Accept header asks for."""
        encode, content_type = choose_encoder(accept)
        return Page(_HTTP_OK, content_type, encode(self._registry))

    def collect(self) -> Iterator[Metric]:
        for name, value in self._values().items():
            yield _family(name, value)
        meaning = "From an answer's first request to its last reply."
        yield _histogram("check_seconds", meaning, counters.CHECK_LATENCY_MS)
        meaning = "From the publication of a message to that of its alert."
        yield _histogram("publish_to_alert_seconds", meaning, counters.ALERT_LATENCY_MS)
        info = GaugeMetricFamily(_PREFIX + "build_info", "Versions.", labels=_VERSIONED)
        info.add_metric([__version__, beam.__version__, platform.python_version()], 1)
        yield info

    def _values(self) -> dict[str, Value]:
        worker, journal, counts = self._worker, self._journal, self._journal.totals()
        stats, waiting = worker.subscription.stats(), journal.waiting()
        committed_at_us = min((each.oldest_committed_at_us for each in waiting.values()), default=0)
        failures = counts.failures_by_error
        return {
            # The counts of answers add up as the ledger does.
            "messages_read": counts.read,
            "parse_failed": sum(failures.get(name, 0) for name in _UNREADABLE),
            "archives_damaged": counts.damaged_archives,
            "duplicates_seen": counts.duplicates,
            "sampled_out": counts.sampled_out,
            "answers": {verdict.value: counts.verdicts.get(verdict, 0) for verdict in Verdict},
            "escalations": {tag.value: counts.escalations.get(tag, 0) for tag in ESCALATION_TAGS},
            "failures": dict.fromkeys(ERROR_CLASSES, 0) | failures,
            "failures_retryable": counts.retryable_failures,
            "calls_in_flight": len(CALLS_IN_FLIGHT),
            "outstanding_messages": {name: getattr(stats, name) for name in _STATES},
            "outstanding_bytes": stats.size_bytes,
            "leases_overdue": stats.overdue,
            "oldest_unacked_age_seconds": stats.oldest_unacked_age_s,
            "redelivered": stats.redelivered,
            "pubsub_up": stats.is_available,
            "batches": {"done": worker.batches_done, "failed": worker.batches_failed},
            "ledger_gap": sum(hour.gap for hour in journal.ledger()),
            "unpublished": {
                topic: journal.outbox.count(topic) + (waiting[kind].rows if kind in waiting else 0)
                for topic, kind in (("alert", "alerts"), ("failure", "failures"))
            },
            "destination_up": {each.kind: not each.problem for each in worker.destinations},
            "oldest_undelivered_age_seconds": {
                each.kind: each.waiting_for_s for each in worker.destinations
            },
            **outbox_counts(journal, [each.kind for each in worker.destinations]),
            "unpublished_batches": max((each.batches for each in waiting.values()), default=0),
            "oldest_unpublished_age_seconds": (
                max(0.0, (clock.now_us() - committed_at_us) / SECOND_US) if committed_at_us else 0.0
            ),
            "failed_publications": worker.publisher.failed,
            "open_incidents": {
                "rate": worker.monitor.open_rate_incidents,
                "no_data": worker.monitor.open_no_data_incidents,
            },
            "healthy": self._is_healthy(),
            **{counter.name: counter.value for counter in CHECKS},
        }


def outbox_counts(journal: Journal, targets: Iterable[str]) -> dict[str, Value]:
    """Return what waits for each tool or channel, and what has become of the other rows.

    Also of those `targets` that have had no row: Prometheus sees no increase in a series that
    begins at its value. Rows for the topics of alerts and failures are counted as unpublished.
    """
    topics = set(KINDS.values())
    pending = journal.outbox.pending()
    delivered = dict.fromkeys(targets, Delivered()) | journal.outbox.delivered()
    delivered = {name: counts for name, counts in delivered.items() if name not in topics}
    pending = {name: rows for name, rows in pending.items() if name not in topics}
    ends = {
        f"outbox_{name}": {target: getattr(counts, name) for target, counts in delivered.items()}
        for name in Delivered.__struct_fields__
    }
    return {"outbox_pending": dict.fromkeys(delivered, 0) | pending, **ends}


def _family(name: str, value: Value) -> Metric:
    kind, meaning, *labels = METRICS[name]
    family: CounterMetricFamily | GaugeMetricFamily = kind(_PREFIX + name, meaning, labels=labels)
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
