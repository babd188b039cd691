"""Process batches of messages: run, make the outcome durable, then acknowledge."""

import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Event
from typing import Any

from groundwatch.launch.engine.batches import Batches, Work
from groundwatch.launch.engine.journal import FOLDERS, Journal, Unaccounted
from groundwatch.launch.engine.pubsub.subscription import Subscription
from groundwatch.pipeline.sinks.outcomes import Outcome, finished_beside
from groundwatch.pipeline.sources.read_batch import MessageRange
from groundwatch.pipeline.storage import TargetExists
from groundwatch.schemas import Record
from groundwatch.schemas.alert import Alert, AlertKind, Severity
from groundwatch.schemas.message import Message
from groundwatch.schemas.quantities import MEGABYTE
from groundwatch.schemas.summary import RunCounts, Summary
from groundwatch.transforms.grounding.errors import RunStopped
from groundwatch.transforms.parse_answers import TooManyAnswers
from groundwatch.transforms.persistence.database import DamagedDatabase, StatementFailed
from groundwatch.transforms.rules.checker_outages import CheckerStatus
from groundwatch.transforms.runtime import clock
from groundwatch.transforms.runtime.failures import failed_now
from .alerts.monitor import AlertLatency, Monitor
from .batch_size import BatchSize
from .delivery import Delivery
from .file_publisher import FilePublisher
from .health.worker_health import Health
from .owned_paths import OwnedPaths
from .reporter import LogReporter
from .retry_queue import DeferredMessage, RetryQueue

_WAIT_S = 0.5
_AFTER_ERROR_S = 1.0
# Beam sets up all steps for each batch, so a few messages wait for others.
_BETWEEN_SMALL_BATCHES_S = 0.5
_SMALL_BATCH = 100
_BATCH_BYTES = 16 * MEGABYTE
_BEHIND_S = 60.0
_DELETE_IDS_EVERY_S = 3_600.0
_ANSWERED = "answered"
"""The note of the checkers that have answered."""

_log = logging.getLogger(__name__)


class Defect(Exception):
    """A bug of groundwatch that one message triggers."""


class WorkerLimits(Record, frozen=True, kw_only=True):
    """How much a worker takes on at once.

    Attributes:
      batch_messages: messages of one batch, at most.
      outstanding_messages, outstanding_bytes: stop pulling from here, deferred messages included.
    """

    batch_messages: int = 1_000
    outstanding_messages: int = 4_000
    outstanding_bytes: int = 64 * MEGABYTE


@dataclass(kw_only=True, eq=False)
class Worker:
    """Process batches of a subscription until it is stopped.

    A message is acknowledged once its record, alerts and failure are in the database. A check that
    takes longer than others goes on in the background; its message is processed again when the
    check has ended. A message that triggers a bug becomes a failure, and the other messages of its
    batch are processed. `open_worker` makes the parts.

    Attributes:
      topics: those of alerts and failures, which get their rows between batches.
      destinations: these topics, and what gets its rows on a thread of its own.
      summarize: makes the summary of all that was committed, on a connection of the caller's
        thread.
      show_sent: counts the calls to the checker that no batch counts.
      checker_statuses: how the calls to the checkers end now.
      outstanding_messages: so many show that there is a backlog.
      dedupe_us: how long the ids of records are kept.
      batches_done, batches_failed: since the start.
    """

    journal: Journal
    subscription: Subscription
    batches: Batches
    size: BatchSize
    retry_queue: RetryQueue
    publisher: FilePublisher
    topics: Sequence[Delivery[Any]]
    destinations: Sequence[Delivery[Any]]
    monitor: Monitor
    health: Health
    owned_paths: OwnedPaths
    reporter: LogReporter
    summarize: Callable[[Journal], Summary]
    show_sent: Callable[[], None]
    checker_statuses: Callable[[], Sequence[CheckerStatus]]
    outstanding_messages: int
    dedupe_us: int
    batches_done: int = 0
    batches_failed: int = 0
    # Parts of a batch that are processed next, each with its deferred messages.
    _isolated: deque[tuple[Sequence[Message], Sequence[DeferredMessage]]] = field(
        default_factory=deque
    )
    _deferred: Sequence[DeferredMessage] = ()
    # Places of messages whose outcome is durable, until they are acknowledged.
    _durable: list[str] = field(default_factory=list)
    # Answers that have ended beside deferred ones, by the place of their message.
    _finished_answers: dict[str, int] = field(default_factory=dict)
    _latency: AlertLatency = field(default_factory=AlertLatency)
    _answered: set[str] = field(default_factory=set)
    _started_s: float = 0.0
    _delete_ids_at_s: float = 0.0
    _not_before_s: float = 0.0

    def run(self, stop: Event) -> None:
        """Process batches until the event is set; raises what `run_worker` does."""
        # Whether there is a backlog is not known before messages have come.
        self.monitor.record_backlog(clock.now_us())
        while not stop.is_set():
            self.step()

    def step(self) -> None:
        """Process one batch, if there are messages, then publish what is due."""
        # Before anything that may fail at once.
        time.sleep(max(0.0, self._not_before_s - time.monotonic()))
        self.health.record_pull(outstanding=self.waiting)
        try:
            if self._durable:
                self._acknowledge(())
            if not self._process_next() and not self.waiting:
                self.health.batch_problem = None
        except DamagedDatabase:
            raise
        except OSError as error:
            _log.error("%s; it is tried again", error)
            self.health.batch_problem = str(error)
            self._not_before_s = time.monotonic() + _AFTER_ERROR_S
        # While all messages wait for the checker, no batch counts its calls.
        self.show_sent()
        stats = self.subscription.stats()
        is_behind = not stats.is_available or stats.oldest_waiting_age_s > _BEHIND_S
        if is_behind or self.waiting >= self.outstanding_messages:
            self.monitor.record_backlog(clock.now_us())
        self.reporter.report_progress(stats, self.waiting)
        try:
            self._publish_due()
        except (TargetExists, DamagedDatabase):
            raise
        except OSError as error:
            _log.error("%s; it is tried again", error)

    def finish(self, within_s: float = 0.0) -> None:
        """Publish what is durable, and try so long; the next worker publishes what is left."""
        until_s = time.monotonic() + within_s
        while not self._finish_now() and time.monotonic() < until_s:
            time.sleep(_AFTER_ERROR_S)

    def _finish_now(self) -> bool:
        """Try to publish all; return whether nothing is left for files and topics."""
        publish = partial(self._publish_to_topics, at_once=True)
        for act in (partial(self._evaluate, at_once=True), publish, self.publisher.finish):
            try:
                act()
            except (TargetExists, DamagedDatabase):
                raise
            except OSError as error:
                _log.error("%s; the rows stay in %s", error, self.journal.database.folder)
        return not {"enriched", *FOLDERS.values()} & self.journal.undelivered().keys()

    @property
    def waiting(self) -> int:
        """How many messages wait for a check in the background, or to be processed again."""
        return len(self.retry_queue)

    def _note_answered(self) -> None:
        """Note which checkers answer: the next worker waits for one that refuses all its calls."""
        answered = {each.checker for each in self.checker_statuses() if each.has_succeeded}
        if not answered <= self._answered:
            self._answered |= answered | checkers_answered(self.journal)
            self.journal.database.keep_note(_ANSWERED, sorted(self._answered))

    def _publish_due(self) -> None:
        self._note_answered()
        self.reporter.report_alerts(self._evaluate())
        self._publish_to_topics()
        self.owned_paths.check()
        self.publisher.publish_due()
        if time.monotonic() >= self._delete_ids_at_s:
            # Once an hour: it takes seconds if there are millions.
            self._delete_ids_at_s = time.monotonic() + _DELETE_IDS_EVERY_S
            self.journal.delete_old_batches(self.dedupe_us)
        if self._latency and not self.journal.outbox.count("alert"):
            self._latency.record_published(clock.now_us())

    def _evaluate(self, *, at_once: bool = False) -> Sequence[Alert]:
        return self.monitor.evaluate(
            clock.now_us(),
            self.checker_statuses(),
            waiting=self.subscription.stats().outstanding,
            at_once=at_once,
        )

    def _publish_to_topics(self, *, at_once: bool = False) -> None:
        for topic in self.topics:
            topic.step(self.journal, at_once=at_once)

    def _process_next(self) -> bool:
        """Process one batch; return False if there are no messages now."""
        work = self._next_batch()
        if work is None:
            return False
        try:
            outcome, counts = self.batches.run(work)
        except Exception as error:  # noqa: BLE001 - raised again if it ends the worker
            self._fail(work, error)
        else:
            self._finish_batch(work, outcome, counts)
        return True

    def _next_batch(self) -> Work | None:
        """Take messages that wait for another attempt, and pull others."""
        # Before messages are taken: it may fail.
        number = self.journal.next_number()
        if not self._isolated:
            # Half of a batch at most, so that new messages are processed, too.
            deferred = self.retry_queue.take_checked(max(1, self.size.messages // 2))
            messages = [each.message for each in deferred]
            messages += self.retry_queue.take_due(self.size.messages - len(messages))
            if (room := self.size.messages - len(messages)) > 0:
                messages += self.subscription.pull(room, _BATCH_BYTES, 0.0 if messages else _WAIT_S)
            if 0 < len(messages) < min(self.size.messages, _SMALL_BATCH):
                self._not_before_s = time.monotonic() + _BETWEEN_SMALL_BATCHES_S
            if messages:
                self._isolated.append((messages, deferred))
        if not self._isolated:
            return None
        taken, self._deferred = self._isolated.popleft()
        self._started_s = time.monotonic()
        ranges = [MessageRange(place="the subscription", messages=taken)]
        finished = sum(self._finished_answers.get(message.place, 0) for message in taken)
        return Work(number, ranges, messages=taken, finished_answers=finished)

    def _fail(self, work: Work, error: Exception) -> None:
        """Process the messages of a batch again, later or in parts; raise what ends the worker."""
        if isinstance(error, RunStopped | DamagedDatabase):
            raise error
        if isinstance(error, TooManyAnswers):
            self._halve(work)
            return
        self.batches_failed += 1
        if isinstance(error, OSError) and not isinstance(error, StatementFailed):
            self._retry_later(work.messages, error)
        elif len(work.messages) > 1:
            self._halve(work)
        else:
            self._fail_message(work, error)

    def _halve(self, work: Work) -> None:
        """Process the messages of a batch in two parts: the one that cannot be ends up alone."""
        half, deferred = len(work.messages) // 2, self._deferred
        self._isolated.appendleft((work.messages[half:], deferred[half:]))
        self._isolated.appendleft((work.messages[:half], deferred[:half]))

    def _fail_message(self, work: Work, error: Exception) -> None:
        """Make a failure of the message that triggers a bug."""
        (message,) = work.messages
        name = type(error).__name__
        _log.error("a bug of groundwatch: %s, with message %s", name, message.place)
        # The error's own words could contain text of an answer.
        defect = Defect(f"groundwatch has a bug: {name}")
        failure = failed_now(message, "ReadMessages", defect, retryable=True)
        alerts = []
        if isinstance(error, Unaccounted):
            kind, severity = AlertKind.LEDGER, Severity.CRITICAL
            alerts = [Alert(kind=kind, event_time_us=clock.now_us(), severity=severity)]
        try:
            self.batches.fail(work.number, failure, alerts)
        except OSError as full:
            self._retry_later([message], full)
        else:
            self._acknowledge([message.place])

    def _acknowledge(self, places: Sequence[str]) -> None:
        """Acknowledge what is durable, unless the database is gone; what fails is tried again."""
        self._durable += places
        self.journal.database.checkpoint()
        self.owned_paths.check()
        self.subscription.acknowledge(self._durable)
        for place in self._durable:
            self._finished_answers.pop(place, None)
        if self._durable:
            self.health.record_progress()
        self._durable = []

    def _retry_later(self, messages: Sequence[Message], error: OSError) -> None:
        _log.error("%s; %d messages are tried again", error, len(messages))
        self.health.batch_problem = str(error)
        self.retry_queue.add_failed(messages)

    def _finish_batch(self, work: Work, outcome: Outcome, counts: RunCounts) -> None:
        """Record what a batch found, and acknowledge its messages without deferred answers."""
        messages, deferred = work.messages, self._deferred
        self.batches_done += 1
        self.size.adjust(
            len(messages),
            time.monotonic() - self._started_s,
            checked=counts.checked,
            deferred=len(outcome.deferred),
            latency_s=counts.latency_ms / max(counts.checked, 1) / 1_000,
        )
        self.retry_queue.reset()
        self._latency.add(messages, len(outcome.alerts))
        self.reporter.report_alerts(outcome.alerts)
        arrivals = _arrivals(outcome, deferred)
        self.monitor.record_arrivals(len(messages) - len(deferred), arrivals, clock.now_us())
        self.monitor.record_rates(outcome.rates)
        self.retry_queue.add_deferred(messages, outcome.deferred)
        finished = finished_beside(outcome.deferred)
        self._finished_answers |= finished
        # At last, since it may fail: the disk of the output may be gone.
        self._acknowledge([message.place for message in messages if message.place not in finished])


def checkers_answered(journal: Journal) -> set[str]:
    """Return the checkers that have answered a worker over this database."""
    return journal.database.note(_ANSWERED, set[str]) or set()


def _arrivals(batch: Outcome, deferred: Sequence[DeferredMessage]) -> Counter[str | None]:
    """Count the answers that arrived with a batch, by engine, without those of earlier batches."""
    failed = {failure.record_id for failure in batch.failures}
    arrived: Counter[str | None] = Counter()
    for engine, counts in batch.rates:
        arrived[engine] += counts.answers
    arrived.update(answer.engine for answer in batch.deferred)
    earlier = (answer for each in deferred for answer in each.answers)
    arrived.subtract(answer.engine for answer in earlier if answer.record_id not in failed)
    return +arrived
