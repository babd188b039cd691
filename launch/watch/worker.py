"""Process batches of messages: run, make the outcome durable, then acknowledge."""

import logging
import time
from collections.abc import Sequence
from threading import Event

from launch.pubsub.errors import Refused
from launch.pubsub.outstanding import SubscriptionStats
from launch.pubsub.subscription import Subscription
from launch.watch.alerts.canary import Canary
from launch.watch.alerts.monitor import Monitor
from launch.watch.alerts.outbox import AlertLatency, OutboxPublisher
from launch.watch.batch_size import BatchSize
from launch.watch.durable.batches import Batches, Outcome, Unaccounted
from launch.watch.durable.journal import Journal
from launch.watch.durable.ownership import OwnedPaths
from launch.watch.durable.publisher import FilePublisher
from launch.watch.health.health import Heartbeat
from launch.watch.reporter import Backlog, Reporter
from launch.watch.retry_queue import PendingChecks, PendingMessage, RetryQueue
from pipeline.settings.worker import WorkerSettings
from pipeline.storage import TargetExists
from schemas.alert import Alert, AlertKind, Severity
from schemas.failure import Failure
from schemas.message import Message
from schemas.quantities import MEGABYTE
from transforms.grounding.errors import RunStopped
from transforms.runtime import clock
from transforms.runtime.failures import failed_now

_WAIT_S = 0.5
_BATCH_BYTES = 16 * MEGABYTE
_BEHIND_S = 60.0
_DELETE_IDS_EVERY_S = 3_600.0
_log = logging.getLogger(__name__)


class Defect(Exception):
    """A bug of groundwatch that one message triggers."""


class Worker:
    """Process batches of a subscription until it is stopped.

    A message is acknowledged once its record, alerts and failure are in the journal or in files
    that the journal knows. A check that takes longer than others goes on in the background; its
    message is processed again when the check has ended. A message that triggers a bug becomes a
    failure, and the other messages of its batch are processed.

    Args:
      subscription: the messages.
      batches: process a batch.
      journal: the durable state.
      publisher: publishes files.
      outbox: publishes alerts and failures.
      monitor: evaluates rates and activity.
      canary: checks known answers, None for none.
      heartbeat: records that the loop is alive.
      owned: the files and folders that must stay as they are.
      reporter: shows what the worker does.
      size: how many messages a batch takes.
      pending: messages of answers whose checks go on in the background.
      settings: how large batches are.

    Attributes:
      subscription, publisher, monitor, canary: as given.
      batches_done, batches_failed: how many ended how.
    """

    def __init__(
        self,
        *,
        subscription: Subscription,
        batches: Batches,
        journal: Journal,
        publisher: FilePublisher,
        outbox: OutboxPublisher,
        monitor: Monitor,
        canary: Canary | None,
        heartbeat: Heartbeat,
        owned: OwnedPaths,
        reporter: Reporter,
        size: BatchSize,
        pending: PendingChecks,
        settings: WorkerSettings,
    ) -> None:
        self.batches_done = 0
        self.batches_failed = 0
        self.subscription = subscription
        self._batches = batches
        self._journal = journal
        self.publisher = publisher
        self._outbox = outbox
        self.monitor = monitor
        self.canary = canary
        self._heartbeat = heartbeat
        self._owned = owned
        self._reporter = reporter
        self._latency = AlertLatency()
        self._settings = settings
        self._retry_queue = RetryQueue()
        self._pending = pending
        self._size = size
        self._delete_ids_at_s = 0.0

    def run(self, stop: Event) -> None:
        """Process batches until stopped.

        Args:
          stop: set it to make the current batch the last one.

        Raises:
          RunStopped: no answer can be checked until a person has changed something.
          Refused: Pub/Sub refuses until a person has changed something.
          OwnershipLost: the journal or the output folder was deleted or replaced.
          TargetExists: another process wrote a file with one of this worker's names.
        """
        # Whether there is a backlog is not known before messages have come.
        self.monitor.record_backlog(clock.now_us())
        while not stop.is_set():
            self.step()

    def step(self) -> None:
        """Process one batch, if there are messages, then publish what is due."""
        self._heartbeat.record_pull(outstanding=self.waiting)
        # Half of a batch at most, so that new messages are processed, too.
        pending = self._pending.take_ended(max(1, self._size.messages // 2))
        messages = self._take([each.message for each in pending])
        if messages:
            self._process(messages, pending)
        stats = self.subscription.stats()
        if self._cannot_pull() or _is_behind(stats):
            self.monitor.record_backlog(clock.now_us())
        self._reporter.report_progress(_backlog(stats, self.waiting))
        try:
            self._reporter.report_alerts(self.monitor.evaluate(clock.now_us()))
            if self.canary:
                self.canary.check(clock.now_us())
            self._outbox.publish()
            self._owned.check()
            self.publisher.publish_due()
            self._delete_old_ids()
            if self._latency.pending and not self._journal.count_outbox("alert"):
                self._latency.record_published(clock.now_us())
        except TargetExists:
            raise
        except OSError as error:
            _log.error("%s; it is tried again", error)

    def finish(self) -> None:
        """Publish what is durable.

        Raises:
          OSError: a file cannot be written; the next worker does it.
        """
        self.monitor.evaluate(clock.now_us(), at_once=True)
        try:
            self._outbox.publish()
        except Refused as error:
            _log.error("%s; the next worker tries again", error)
        self.publisher.finish()

    @property
    def waiting(self) -> int:
        """How many messages wait for a check in the background, or to be processed again."""
        return len(self._pending) + len(self._retry_queue)

    def _take(self, checked: Sequence[Message]) -> Sequence[Message]:
        again = [*checked, *self._retry_queue.take_due(self._size.messages - len(checked))]
        room = self._size.messages - len(again)
        if room <= 0:
            return again
        wait_s = 0.0 if again else _WAIT_S
        return [*again, *self.subscription.pull(room, _BATCH_BYTES, wait_s)]

    def _cannot_pull(self) -> bool:
        """Return whether so many messages wait that no more are pulled."""
        return self.waiting >= self._settings.max_outstanding_messages

    def _process(self, messages: Sequence[Message], pending: Sequence[PendingMessage] = ()) -> None:
        """Process a batch.

        Args:
          messages: all of them.
          pending: those of them whose arrival was counted before.
        """
        started_s = time.monotonic()
        try:
            outcome = self._batches.run(messages)
        except RunStopped:
            raise
        except OSError as error:
            self.batches_failed += 1
            self._retry_later(messages, error)
        except Exception as error:  # noqa: BLE001 - a defect must not end the monitoring
            self.batches_failed += 1
            self._isolate(messages, error)
        else:
            self.batches_done += 1
            self._size.adjust(
                len(messages),
                time.monotonic() - started_s,
                checked=outcome.checked,
                left=len(outcome.deferred),
                latency_s=outcome.latency_s,
            )
            self._retry_queue.reset()
            self._finish_batch(messages, outcome, pending)

    def _isolate(self, messages: Sequence[Message], error: Exception) -> None:
        """Find the message that triggers a bug by bisection, and make a failure of it."""
        if len(messages) > 1:
            half = len(messages) // 2
            self._process(messages[:half])
            self._process(messages[half:])
            return
        (message,) = messages
        _log.error("a bug of groundwatch: %s, with message %s", type(error).__name__, message.place)
        alerts = [_ledger_alert()] if isinstance(error, Unaccounted) else []
        self._fail(message, _failure_of_defect(message, error), alerts)

    def _fail(self, message: Message, failure: Failure, alerts: Sequence[Alert] = ()) -> None:
        try:
            self._batches.fail(failure, alerts)
        except OSError as error:
            self._retry_later([message], error)
        else:
            self._heartbeat.record_progress()
            self._acknowledge([message.place])

    def _acknowledge(self, places: Sequence[str]) -> None:
        """Acknowledge what is durable, after a check that the journal is still there.

        Raises:
          OwnershipLost: it is not.
        """
        self._owned.check()
        self.subscription.acknowledge(places)

    def _retry_later(self, messages: Sequence[Message], error: OSError) -> None:
        _log.error("%s; %d messages are tried again", error, len(messages))
        self._retry_queue.add(messages)

    def _finish_batch(
        self, messages: Sequence[Message], outcome: Outcome, pending: Sequence[PendingMessage]
    ) -> None:
        left = {answer.place for answer in outcome.deferred}
        done = [message.place for message in messages if message.place not in left]
        self._acknowledge(done)
        if done:
            self._heartbeat.record_progress()
        self._latency.add(messages, len(outcome.alerts))
        self._reporter.report_alerts(outcome.alerts)
        arrivals = outcome.arrivals(answer for each in pending for answer in each.answers)
        self.monitor.record_arrivals(len(messages) - len(pending), arrivals, clock.now_us())
        self.monitor.record_rates(outcome.rates)
        # A message is processed again as a whole; its finished answers then count as duplicates.
        self._pending.add(messages, outcome.deferred)

    def _delete_old_ids(self) -> None:
        """Delete them once an hour: it takes seconds if there are millions."""
        if time.monotonic() >= self._delete_ids_at_s:
            self._delete_ids_at_s = time.monotonic() + _DELETE_IDS_EVERY_S
            self._batches.delete_old_ids(self._settings.dedupe_h)


def _is_behind(stats: SubscriptionStats) -> bool:
    return not stats.is_available or stats.oldest_waiting_age_s > _BEHIND_S


def _backlog(stats: SubscriptionStats, waiting: int) -> Backlog:
    return Backlog(
        outstanding=stats.outstanding,
        pending=waiting,
        oldest_age_s=stats.oldest_unacked_age_s,
    )


def _failure_of_defect(message: Message, error: Exception) -> Failure:
    # The error's own words could contain text of an answer.
    defect = Defect(f"groundwatch has a bug: {type(error).__name__}")
    return failed_now(message, "ReadMessages", defect, retryable=True)


def _ledger_alert() -> Alert:
    return Alert(kind=AlertKind.LEDGER, event_time_us=clock.now_us(), severity=Severity.CRITICAL)
