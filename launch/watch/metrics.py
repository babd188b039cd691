"""What Prometheus reads: the worker's counters and gauges under stable names."""

import platform
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

import apache_beam as beam
from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from launch import __version__
from launch.pubsub.subscription import Standing
from launch.watch import families
from launch.watch.status_server import Page
from schemas import Record
from schemas.message import UnmappedFields, UnreadableAnswer
from schemas.summary import RunCounts
from schemas.verdict import Verdict
from transforms.grounding.client import CallsInFlight
from transforms.runtime import counters
from transforms.runtime.counters import Counter

_HTTP_OK = 200

CHECKS: Mapping[Counter, str] = MappingProxyType(
    {
        counters.CHECKS_OK: "Answers that were checked.",
        counters.CHECKS_FAILED: "Answers whose check failed for good.",
        counters.LEFT: "Answers whose check was put off.",
        counters.CALLS: "Requests sent to the checker, failed and repeated ones included.",
        counters.CHARACTERS: "Characters of answers and facts in these requests.",
        counters.RETRIES: "Requests that repeat another one.",
    }
)
"""What this process has asked of the checker: a batch that is worked off again counts again, and so
do the known answers of the canary, which have to be paid for."""


class WorkReadings(Record, frozen=True, kw_only=True):
    """What the worker knows of its work.

    Attributes:
      counts: of all messages that came to their end, as its ledger has them.
      batches_done, batches_failed: how many ended how, since this process began.
      ledger_gap: how many messages ended nowhere, over the whole ledger; 0 is well.
      unpublished_alerts, unpublished_failures: what is durable and waits to be published.
      unpublished_batches: batches whose rows are durable and in no final file yet.
      oldest_unpublished_age_s: seconds since the first of them was committed; 0 for none.
      failed_publications: publications of files that failed, since this process began.
      set_aside_rows: rows in damaged parts, which are in no final file.
      open_rate_episodes, open_silences: how many have opened and not closed.
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
    open_rate_episodes: int = 0
    open_silences: int = 0


class Metrics(Collector):
    """Tells the metrics of this process, each time as they are then.

    Args:
      standing: how the subscription fares.
      work: what the worker knows of its work.
      is_well: whether the worker is well.
    """

    def __init__(
        self,
        standing: Callable[[], Standing],
        work: Callable[[], WorkReadings],
        is_well: Callable[[], bool],
    ) -> None:
        self._standing = standing
        self._work = work
        self._is_well = is_well
        self._registry = CollectorRegistry()
        self._registry.register(self)
        ProcessCollector(registry=self._registry)

    def page(self, accept: str) -> Page:
        """Answer ``/metrics``, in the format that the Accept header asks for."""
        encode, content_type = choose_encoder(accept)
        return Page(_HTTP_OK, content_type, encode(self._registry))

    def collect(self) -> Iterator[Metric]:
        """Tell them all."""
        work = self._work()
        yield from _of_the_messages(work.counts)
        yield from _of_the_checks()
        yield from _of_the_subscription(self._standing())
        yield from _of_the_work(work)
        yield families.gauge("healthy", "1 while /healthz answers ok.", self._is_well())
        yield families.build_info(
            {
                "version": __version__,
                "beam": beam.__version__,
                "python": platform.python_version(),
            }
        )


def _of_the_messages(counts: RunCounts) -> Iterator[Metric]:
    """Each answer once, at its end: these add up as the ledger does."""
    yield families.counter("messages_read", "Answers that came to their end.", counts.read)
    unreadable = sum(
        counts.failures_by_error.get(error.__name__, 0)
        for error in (UnreadableAnswer, UnmappedFields)
    )
    yield families.counter("parse_failed", "Answers that cannot be read.", unreadable)
    yield families.counter(
        "archives_damaged", "Archives that ended too soon.", counts.damaged_archives
    )
    yield families.counter(
        "duplicates_seen",
        "Answers left out because their record id came before.",
        counts.duplicates,
    )
    yield families.counter(
        "sampled_out", "Answers left out because they are not in the sample.", counts.sampled_out
    )
    by_verdict = {verdict.value: counts.verdicts.get(verdict, 0) for verdict in Verdict}
    yield families.counters("answers", "Enriched answers by verdict.", "verdict", by_verdict)
    yield families.counters(
        "failures", "Failures by class of error.", "error_class", counts.failures_by_error
    )
    yield families.counter(
        "failures_retryable", "Failures that a replay may mend.", counts.retryable_failures
    )


def _of_the_checks() -> Iterator[Metric]:
    yield families.counter(
        counters.FURTHER_ANSWERS.name,
        "Answers beyond the first of a message.",
        counters.FURTHER_ANSWERS.value,
    )
    for counter, meaning in CHECKS.items():
        yield families.counter(counter.name, meaning, counter.value)
    yield families.gauge("calls_in_flight", "Calls that wait for a reply.", CallsInFlight.count)
    yield families.histogram_s(
        "check_seconds",
        "From an answer's first request to its last reply.",
        counters.CHECK_LATENCY_MS,
    )


def _of_the_subscription(standing: Standing) -> Iterator[Metric]:
    holding = standing.holding
    yield families.gauges(
        "held_messages",
        "Messages held: waiting, in work, or settled without Pub/Sub knowing of it yet.",
        "state",
        {"waiting": holding.waiting, "in_work": holding.in_work, "settled": holding.settled},
    )
    yield families.gauge("held_bytes", "Bytes of all messages held.", holding.size_bytes)
    yield families.gauge(
        "leases_overdue",
        "Messages held for so long that their leases are not prolonged any more.",
        holding.overdue,
    )
    yield families.gauge(
        "oldest_unacked_age_seconds",
        "Since the oldest message held that is not settled was published; 0 for none.",
        standing.oldest_unacked_age_s,
    )
    yield families.counter(
        "redelivered", "Deliveries of messages that were held already.", holding.redelivered
    )
    yield families.gauge("pubsub_up", "1 while Pub/Sub answers.", standing.answers)


def _of_the_work(work: WorkReadings) -> Iterator[Metric]:
    yield families.counters(
        "batches",
        "Batches by how they ended.",
        "outcome",
        {"done": work.batches_done, "failed": work.batches_failed},
    )
    yield families.gauge("ledger_gap", "Messages that ended nowhere; 0 is well.", work.ledger_gap)
    yield families.gauges(
        "unpublished",
        "What is durable and waits to be published.",
        "kind",
        {"alert": work.unpublished_alerts, "failure": work.unpublished_failures},
    )
    yield families.gauge(
        "unpublished_batches",
        "Batches whose rows are durable and in no final file yet.",
        work.unpublished_batches,
    )
    yield families.gauge(
        "oldest_unpublished_age_seconds",
        "Seconds since the first of the unpublished batches was committed; 0 for none.",
        work.oldest_unpublished_age_s,
    )
    yield families.counter(
        "failed_publications", "Publications of files that failed.", work.failed_publications
    )
    yield families.gauge(
        "set_aside_rows",
        "Rows in damaged parts, which are in no final file.",
        work.set_aside_rows,
    )
    yield families.histogram_s(
        "publish_to_alert_seconds",
        "From when a message was published to when its alert was.",
        counters.ALERT_LATENCY_MS,
    )
    yield families.gauges(
        "open_episodes",
        "Episodes that have opened and not closed.",
        "kind",
        {"rate": work.open_rate_episodes, "no_data": work.open_silences},
    )
