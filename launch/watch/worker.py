"""The worker: runs a batch, makes its outcome durable, and only then acknowledges it."""

import logging
import time
from collections.abc import Sequence
from threading import Event

from launch.pubsub.errors import Refused
from launch.pubsub.subscription import Standing, Subscription
from launch.watch.alert_latency import AlertLatency
from launch.watch.announcer import Announcer
from launch.watch.batch_size import BatchSize
from launch.watch.batches import Batches, Outcome, Unaccounted
from launch.watch.canary import Canary
from launch.watch.giving_up import failed_by_defect
from launch.watch.heartbeat import Heartbeat
from launch.watch.held_messages import HeldMessage, HeldMessages
from launch.watch.journal import Journal
from launch.watch.monitor import Monitor
from launch.watch.ownership import OwnedPaths
from launch.watch.publishing import Publishing
from launch.watch.reporter import Backlog, Reporter
from launch.watch.retry_queue import RetryQueue
from pipeline.settings.worker import WorkerSettings
from pipeline.storage import TargetExists
from schemas.alert import Alert, AlertKind, Severity
from schemas.failure import Failure
from schemas.message import Message
from schemas.quantities import MEGABYTE
from transforms import clock
from transforms.grounding.errors import RunStopped

_WAIT_S = 0.5
_BATCH_BYTES = 16 * MEGABYTE
_BEHIND_S = 60.0
_FORGET_EVERY_S = 3_600.0
_log = logging.getLogger(__name__)


class Worker:
    """Takes batches from a subscription until it is told to stop.

    A message is acknowledged once its record, alerts and failure are in the journal or in files
    that the journal knows. The check of an answer that takes longer than others goes on in the
    background; its message is held, and processed when the check has ended. A message that runs
    into a defect becomes a failure, and takes no other along.

    Args:
      subscription: where messages come from.
      batches: what a batch goes through.
      journal: what must not be forgotten.
      publishing: where parts become files.
      announcer: where alerts and failures go.
      monitor: judges rates and silence.
      canary: checks known answers, None for none.
      heartbeat: hears that the loop is alive.
      owned: the files and folders that must stay as they are.
      reporter: tells whoever started it what it does.
      size: how many messages a batch takes.
      held: messages of answers whose checks go on in the background.
      settings: how large batches are.

    Attributes:
      subscription, publishing, monitor, canary: as given.
      batches_done, batches_failed: how many ended how.
    """

    def __init__(
        self,
        *,
        subscription: Subscription,
        batches: Batches,
        journal: Journal,
        publishing: Publishing,
        announcer: Announcer,
        monitor: Monitor,
        canary: Canary | None,
        heartbeat: Heartbeat,
        owned: OwnedPaths,
        reporter: Reporter,
        size: BatchSize,
        held: HeldMessages,
        settings: WorkerSettings,
    ) -> None:
        self.batches_done = 0
        self.batches_failed = 0
        self.subscription = subscription
        self._batches = batches
        self._journal = journal
        self.publishing = publishing
        self._announcer = announcer
        self.monitor = monitor
        self.canary = canary
        self._heartbeat = heartbeat
        self._owned = owned
        self._reporter = reporter
        self._latency = AlertLatency()
        self._settings = settings
        self._retry_queue = RetryQueue()
        self._held = held
        self._size = size
        self._forget_at_s = 0.0

    def run(self, stop: Event) -> None:
        """Work until told to stop.

        Args:
          stop: is set when the batch in work is to be the last.

        Raises:
          RunStopped: no answer can be checked until a person has changed something.
          Refused: Pub/Sub will give or take nothing until a person has changed something.
          OwnershipLost: the journal or the output folder was deleted or replaced.
          TargetExists: somebody else wrote a file under one of this worker's names.
        """
        # What a subscription holds is not known before some of it has come.
        self.monitor.cannot_hear(clock.now_us())
        while not stop.is_set():
            self.step()

    def step(self) -> None:
        """Process one batch, if there is something to do, and do what is due besides."""
        self._heartbeat.came_round(waiting=self.held)
        # Half of a batch at most, so that new messages flow however many checks have ended.
        held = self._held.take_ended(max(1, self._size.messages // 2))
        messages = self._take([each.message for each in held])
        if messages:
            self._work_off(messages, held)
        standing = self.subscription.standing()
        if self._cannot_pull() or _is_behind(standing):
            self.monitor.cannot_hear(clock.now_us())
        self._reporter.look(_backlog(standing, self.held))
        try:
            self._reporter.alerted(self.monitor.look(clock.now_us()))
            if self.canary:
                self.canary.look(clock.now_us())
            self._announcer.announce()
            self._owned.check()
            self.publishing.look()
            self._forget_old_ids()
            if self._latency.waiting and not self._journal.count_outbox("alert"):
                self._latency.published(clock.now_us())
        except TargetExists:
            raise
        except OSError as error:
            _log.error("%s; it is kept and tried again", error)

    def finish(self) -> None:
        """Make public what is durable.

        Raises:
          OSError: a file cannot be written; the next worker does it.
        """
        self.monitor.look(clock.now_us(), at_once=True)
        try:
            self._announcer.announce()
        except Refused as error:
            _log.error("%s; the next worker tries again", error)
        self.publishing.finish()

    @property
    def held(self) -> int:
        """How many messages wait for a check in the background, or to be processed again."""
        return len(self._held) + len(self._retry_queue)

    def _take(self, held: Sequence[Message]) -> Sequence[Message]:
        again = [*held, *self._retry_queue.take_due(self._size.messages - len(held))]
        room = self._size.messages - len(again)
        if room <= 0:
            return again
        wait_s = 0.0 if again else _WAIT_S
        return [*again, *self.subscription.pull(room, _BATCH_BYTES, wait_s)]

    def _cannot_pull(self) -> bool:
        """Tell whether so much is held that nothing more is pulled."""
        return self.held >= self._settings.max_outstanding_messages

    def _work_off(self, messages: Sequence[Message], held: Sequence[HeldMessage] = ()) -> None:
        """Process a batch.

        Args:
          messages: all of them.
          held: those of them whose arrival was counted before.
        """
        started_s = time.monotonic()
        try:
            outcome = self._batches.run(messages)
        except RunStopped:
            raise
        except OSError as error:
            self.batches_failed += 1
            self._hold(messages, error)
        except Exception as error:  # noqa: BLE001 - a defect must not end the monitoring
            self.batches_failed += 1
            self._isolate(messages, error)
        else:
            self.batches_done += 1
            self._size.note(
                len(messages),
                time.monotonic() - started_s,
                checked=outcome.checked,
                left=len(outcome.left),
                latency_s=outcome.latency_s,
            )
            self._retry_queue.reset()
            self._settle(messages, outcome, held)

    def _isolate(self, messages: Sequence[Message], error: Exception) -> None:
        """Find the message that runs into a defect, half by half, and make a failure of it."""
        if len(messages) > 1:
            half = len(messages) // 2
            self._work_off(messages[:half])
            self._work_off(messages[half:])
            return
        (message,) = messages
        _log.error("a defect: %s, with message %s", type(error).__name__, message.place)
        alerts = [_ledger_alert()] if isinstance(error, Unaccounted) else []
        self._fail(message, failed_by_defect(message, error), alerts)

    def _fail(self, message: Message, failure: Failure, alerts: Sequence[Alert] = ()) -> None:
        try:
            self._batches.fail(failure, alerts)
        except OSError as error:
            self._hold([message], error)
        else:
            self._heartbeat.progressed()
            self._acknowledge([message.place])

    def _acknowledge(self, places: Sequence[str]) -> None:
        """Acknowledge what is durable in a journal that is still there.

        Raises:
          OwnershipLost: it is not.
        """
        self._owned.check()
        self.subscription.acknowledge(places)

    def _hold(self, messages: Sequence[Message], error: OSError) -> None:
        _log.error("%s; %d messages are held and tried again", error, len(messages))
        self._retry_queue.add(messages)

    def _settle(
        self, messages: Sequence[Message], outcome: Outcome, held: Sequence[HeldMessage]
    ) -> None:
        left = {answer.place for answer in outcome.left}
        done = [message.place for message in messages if message.place not in left]
        self._acknowledge(done)
        if done:
            self._heartbeat.progressed()
        self._latency.raised(messages, len(outcome.alerts))
        self._reporter.alerted(outcome.alerts)
        arrivals = outcome.arrivals(answer for each in held for answer in each.answers)
        self.monitor.record_arrivals(len(messages) - len(held), arrivals, clock.now_us())
        self.monitor.record_rates(outcome.rates)
        # A message is processed again as a whole; its finished answers then count as duplicates.
        self._held.add(messages, outcome.left)

    def _forget_old_ids(self) -> None:
        """Forget them now and then: it takes seconds where there are millions."""
        if time.monotonic() >= self._forget_at_s:
            self._forget_at_s = time.monotonic() + _FORGET_EVERY_S
            self._batches.forget_old_ids(self._settings.dedupe_h)


def _is_behind(standing: Standing) -> bool:
    return not standing.answers or standing.oldest_waiting_age_s > _BEHIND_S


def _backlog(standing: Standing, held: int) -> Backlog:
    holding = standing.holding
    return Backlog(
        outstanding=holding.waiting + holding.in_work,
        held=held,
        oldest_age_s=standing.oldest_unacked_age_s,
    )


def _ledger_alert() -> Alert:
    return Alert(kind=AlertKind.LEDGER, event_time_us=clock.now_us(), severity=Severity.CRITICAL)
