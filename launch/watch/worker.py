"""The worker: runs a batch, makes its outcome durable, and only then acknowledges it."""

import logging
import time
from collections.abc import Sequence
from threading import Event

from launch import clock
from launch.pubsub.errors import Refused
from launch.pubsub.subscription import Standing, Subscription
from launch.watch.alert_latency import AlertLatency
from launch.watch.announcer import Announcer
from launch.watch.batch_size import BatchSize
from launch.watch.batches import Batches, Outcome, Unaccounted
from launch.watch.canary import Canary
from launch.watch.giving_up import failed_alone, failed_by_defect
from launch.watch.heartbeat import Heartbeat
from launch.watch.journal import Journal
from launch.watch.monitor import Monitor
from launch.watch.ownership import OwnedPaths
from launch.watch.patience import MOST_TRIES, Patience
from launch.watch.publishing import Publishing
from launch.watch.settings import WatchSettings
from pipeline.storage import TargetExists
from schemas.alert import Alert, AlertKind, Severity
from schemas.failure import Failure
from schemas.message import Message
from transforms.grounding.errors import RunStopped

_WAIT_S = 0.5
_BEHIND_S = 60.0
_FORGET_EVERY_S = 3_600.0
_log = logging.getLogger(__name__)


class Worker:
    """Takes batches from a subscription until it is told to stop.

    A message is acknowledged once its record, alerts and failure are in the journal or in files
    that the journal knows. One that cannot be checked for now is held and tried again; one that
    runs into a defect, or that the checker alone does not answer for, becomes a failure, and takes
    no neighbour along.

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
      size: how many messages a batch takes.
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
        size: BatchSize,
        settings: WatchSettings,
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
        self._latency = AlertLatency()
        self._settings = settings
        self._patience = Patience()
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
        """Work off one batch, if there is something to do, and tend to the rest."""
        self._heartbeat.came_round(waiting=self._patience.waiting)
        messages = self._take()
        if messages:
            self._work_off(messages)
        if self._patience.waiting or _is_behind(self.subscription.standing()):
            self.monitor.cannot_hear(clock.now_us())
        try:
            self.monitor.look(clock.now_us())
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

    def _take(self) -> Sequence[Message]:
        again = self._patience.take_due(self._size.messages)
        room = min(
            self._size.messages - len(again),
            self._settings.batch_messages - len(again) - self._patience.waiting,
        )
        if room <= 0:
            if not again:
                time.sleep(_WAIT_S)
            return again
        wait_s = 0.0 if again else _WAIT_S
        return [*again, *self.subscription.pull(room, self._settings.batch_bytes, wait_s)]

    def _work_off(self, messages: Sequence[Message]) -> None:
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
            self._settle(messages, outcome)

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
        self._patience.hold(messages)

    def _settle(self, messages: Sequence[Message], outcome: Outcome) -> None:
        left = {answer.message.place: answer for answer in outcome.left}
        done = [message.place for message in messages if message.place not in left]
        self._acknowledge(done)
        if done:
            self._heartbeat.progressed()
        self._latency.raised(messages, outcome.alerts)
        self.monitor.hear(len(done), outcome.rates, clock.now_us())
        if left:
            _log.warning(
                "%d answers could not be checked; they are held and tried again", len(left)
            )
        waiting = [answer.message for answer in outcome.left]
        for message in self._patience.judge(waiting, checked=outcome.checked):
            self._fail(message, failed_alone(left[message.place], MOST_TRIES))

    def _forget_old_ids(self) -> None:
        """Forget them now and then: it takes seconds where there are millions."""
        if time.monotonic() >= self._forget_at_s:
            self._forget_at_s = time.monotonic() + _FORGET_EVERY_S
            self._batches.forget_old_ids(self._settings.dedupe_h)


def _is_behind(standing: Standing) -> bool:
    return not standing.answers or standing.oldest_unacked_age_s > _BEHIND_S


def _ledger_alert() -> Alert:
    return Alert(kind=AlertKind.LEDGER, event_time_us=clock.now_us(), severity=Severity.CRITICAL)
