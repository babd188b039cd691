"""Telling Pub/Sub what became of messages, and that others are still being worked on."""

import threading
import time
from collections.abc import Callable

from google.api_core import exceptions

from launch.pubsub.held import Fate, Held
from launch.pubsub.reachability import Reachability
from launch.pubsub.settings import PullSettings
from launch.pubsub.telling import MOST_ACK_IDS, Telling


class Settler:
    """Sends acknowledgements, refusals and longer leases in batches, on a thread of its own.

    Args:
      telling: the calls.
      held: the messages.
      settings: how long leases last, how often to look at them.
      reachability: says how long to wait when Pub/Sub does not answer.
      clock: seconds, never set back.
    """

    def __init__(
        self,
        telling: Telling,
        held: Held,
        settings: PullSettings,
        reachability: Reachability,
        clock: Callable[[], float],
    ) -> None:
        self._telling = telling
        self._held = held
        self._settings = settings
        self._reachability = reachability
        self._clock = clock
        self._wanted = threading.Event()
        self._stopping = threading.Event()
        self._stop_at_s = 0.0
        self._thread = threading.Thread(target=self._run, name="pubsub-settler", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def want(self) -> None:
        """Hear that there is something to send."""
        self._wanted.set()

    def stop(self, within_s: float) -> None:
        """Send what there is to send, as far as time allows, and end."""
        self._stop_at_s = time.monotonic() + within_s
        self._stopping.set()
        self._wanted.set()
        self._thread.join(within_s)

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                self._wanted.wait(self._settings.look_every_s)
                self._wanted.clear()
                self._stopping.wait(self._look())
            while self._has_unsent() and time.monotonic() < self._stop_at_s:
                time.sleep(self._look())
        except Exception as error:  # noqa: BLE001 - a thread has nobody else to tell
            self._held.fail(error)

    def _look(self) -> float:
        """Send what there is to send; returns the seconds to wait before trying again."""
        failures = filter(None, (_error_of(self._prolong), _error_of(self._settle)))
        return max(map(self._reachability.failed, failures), default=0.0)

    def _settle(self) -> None:
        while ack_ids := self._held.unsent(Fate.FORGET, MOST_ACK_IDS):
            self._telling.to_forget(ack_ids)
            self._held.sent(ack_ids)
        while ack_ids := self._held.unsent(Fate.DELIVER_AGAIN, MOST_ACK_IDS):
            self._telling.to_wait(ack_ids, 0)
            self._held.sent(ack_ids)

    def _prolong(self) -> None:
        due = self._held.due()
        for start in range(0, len(due), MOST_ACK_IDS):
            ack_ids, began_s = due[start : start + MOST_ACK_IDS], self._clock()
            self._telling.to_wait(ack_ids, self._settings.lease_s)
            self._held.prolonged(ack_ids, began_s)

    def _has_unsent(self) -> bool:
        return any(self._held.unsent(fate, 1) for fate in Fate)


def _error_of(send: Callable[[], None]) -> Exception | None:
    """Send, and return how Pub/Sub did not answer, so that the next thing is still sent."""
    try:
        send()
    except exceptions.GoogleAPICallError as error:
        return error
    return None
