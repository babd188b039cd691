"""The worker: runs a batch, makes its outcome durable, and only then acknowledges it."""

import logging
import time
from collections.abc import Sequence
from threading import Event

from launch.local.local_pipeline import LocalPipeline
from launch.pubsub.errors import Refused
from launch.pubsub.subscription import Standing, Subscription
from launch.watch.account import HOUR_US, account_of
from launch.watch.alert_latency import AlertLatency
from launch.watch.announcer import Announcer
from launch.watch.batch_run import defect_of, run_batch
from launch.watch.files import BatchFiles
from launch.watch.heartbeat import Heartbeat
from launch.watch.journal import BatchDone, Journal
from launch.watch.monitor import Monitor
from launch.watch.patience import Patience
from launch.watch.settings import WatchSettings
from schemas.alert import Alert, AlertKind, Severity
from schemas.message import Message
from transforms.grounding.errors import RunStopped
from transforms.seen_ids import SeenIds

_WAIT_S = 0.5
_BEHIND_S = 60.0
_log = logging.getLogger(__name__)


class Worker:
    """Takes batches from a subscription until it is told to stop.

    A message is acknowledged once its record, alerts and failure are in the journal or in files
    that the journal knows. One that cannot be checked for now is held and tried again; one that
    runs into a defect becomes a failure, and takes no neighbour along.

    Args:
      subscription: where messages come from.
      pipeline: the main page.
      journal: what must not be forgotten.
      files: where parts become files.
      announcer: where alerts and failures go.
      seen: the record ids of the last hours.
      monitor: judges rates and silence.
      heartbeat: hears that the loop is alive.
      settings: how large batches are.

    Attributes:
      subscription, monitor: as given.
      batches_done, batches_failed: how many ended how.
    """

    def __init__(
        self,
        *,
        subscription: Subscription,
        pipeline: LocalPipeline,
        journal: Journal,
        files: BatchFiles,
        announcer: Announcer,
        seen: SeenIds,
        monitor: Monitor,
        heartbeat: Heartbeat,
        settings: WatchSettings,
    ) -> None:
        self.batches_done = 0
        self.batches_failed = 0
        self.subscription = subscription
        self._pipeline = pipeline
        self._journal = journal
        self._files = files
        self._announcer = announcer
        self._seen = seen
        self.monitor = monitor
        self._heartbeat = heartbeat
        self._latency = AlertLatency()
        self._settings = settings
        self._held = Patience()
        # A batch that a killed worker had begun may have claimed ids.
        self._is_begun = True

    def run(self, stop: Event) -> None:
        """Work until told to stop.

        Args:
          stop: is set when the batch in work is to be the last.

        Raises:
          RunStopped: no answer can be checked until a person has changed something.
          Refused: Pub/Sub will give or take nothing until a person has changed something.
        """
        # What a subscription holds is not known before some of it has come.
        self.monitor.cannot_hear(_now_us())
        while not stop.is_set():
            self.step()

    def step(self) -> None:
        """Work off one batch, if there is something to do, and tend to the rest."""
        self._heartbeat.came_round(waiting=self._held.waiting)
        messages = self._take()
        if messages:
            self._work_off(messages)
        if self._held.waiting or _is_behind(self.subscription.standing()):
            self.monitor.cannot_hear(_now_us())
        try:
            self.monitor.look(_now_us())
            self._announcer.announce()
            self._files.publish_if_due()
            if self._latency.waiting and not self._journal.count_outbox("alert"):
                self._latency.published(_now_us())
        except OSError as error:
            _log.error("%s; it is kept and tried again", error)

    def finish(self) -> None:
        """Make public what is durable.

        Raises:
          OSError: a file cannot be written; the next worker does it.
        """
        self.monitor.look(_now_us(), at_once=True)
        try:
            self._announcer.announce()
        except Refused as error:
            _log.error("%s; the next worker tries again", error)
        self._files.publish_if_due(at_once=True)

    def _take(self) -> Sequence[Message]:
        again = self._held.take_if_due()
        room = self._settings.batch_messages - len(again) - self._held.waiting
        if room <= 0:
            if not again:
                time.sleep(_WAIT_S)
            return again
        wait_s = 0.0 if again else _WAIT_S
        return [*again, *self.subscription.pull(room, self._settings.batch_bytes, wait_s)]

    def _work_off(self, messages: Sequence[Message]) -> None:
        try:
            self._commit(messages)
        except RunStopped:
            raise
        except OSError as error:
            self.batches_failed += 1
            _log.error("%s; %d messages are held and tried again", error, len(messages))
            self._held.hold(messages)
        except Exception as error:  # noqa: BLE001 - a defect must not end the monitoring
            self._isolate(messages, error)

    def _isolate(self, messages: Sequence[Message], error: Exception) -> None:
        """Find the message that runs into a defect, half by half, and make a failure of it."""
        self.batches_failed += 1
        if len(messages) > 1:
            half = len(messages) // 2
            self._work_off(messages[:half])
            self._work_off(messages[half:])
            return
        _log.error("a defect: %s, with message %s", type(error).__name__, messages[0].place)
        try:
            self._commit(messages, defect=error)
        except OSError as second:
            _log.error("%s; a message is held and tried again", second)
            self._held.hold(messages)

    def _commit(self, messages: Sequence[Message], defect: Exception | None = None) -> None:
        number = self._journal.next_number()
        folder = self._files.begin_batch(number)
        self._seen.begin(number, again=self._is_begun)
        self._is_begun = True
        if defect is None:
            batch, counts = run_batch(self._pipeline, messages, folder)
        else:
            batch, counts = defect_of(messages[0], defect, folder)
        self._seen.give_back(answer.record_id for answer in batch.left)
        self._seen.settle()
        self._files.keep(number, batch.parts)
        now_us = _now_us()
        enriched = sum(part.rows for part in batch.parts if part.kind == "enriched")
        account = account_of(number, counts, enriched, len(batch.failures), now_us)
        self._journal.commit(
            BatchDone(
                number=number,
                parts=tuple(batch.parts),
                counts=counts,
                account=account,
                rates=tuple(batch.rates),
                alerts=tuple(batch.alerts),
                failures=tuple(batch.failures),
            ),
            now_us,
        )
        self._is_begun = False
        self.batches_done += 1
        if len(batch.left) < len(messages):
            self._heartbeat.progressed()
        self._latency.raised(messages, len(batch.alerts))
        self.monitor.hear(len(messages) - len(batch.left), batch.rates, now_us)
        self._settle(messages, [answer.message for answer in batch.left], account.gap)

    def _settle(self, messages: Sequence[Message], left: Sequence[Message], gap: int) -> None:
        if gap:
            # Which of them it is cannot be told: all come again, and those that are done are
            # counted as duplicates.
            _log.error(
                "%d of %d messages ended nowhere; they are delivered again", gap, len(messages)
            )
            self._journal.raise_alerts([_gap_alert()])
            self.subscription.refuse(message.place for message in messages)
            return
        kept = {message.place for message in left}
        self.subscription.acknowledge(
            message.place for message in messages if message.place not in kept
        )
        self._held.note_outcome(done=len(messages) - len(left))
        if left:
            _log.warning(
                "%d answers could not be checked; they are held and tried again", len(left)
            )
            self._held.hold(left)

    def forget_old_ids(self) -> None:
        """Forget the record ids that are older than they need to be."""
        oldest_us = _now_us() - round(self._settings.dedupe_h * HOUR_US)
        young = [account for account in self._journal.ledger() if account.hour_us >= oldest_us]
        if young:
            self._seen.forget(young[0].first_batch)


def _is_behind(standing: Standing) -> bool:
    return not standing.answers or standing.oldest_unacked_age_s > _BEHIND_S


def _gap_alert() -> Alert:
    return Alert(kind=AlertKind.LEDGER, event_time_us=_now_us(), severity=Severity.CRITICAL)


def _now_us() -> int:
    return time.time_ns() // 1000
