"""Acknowledge, nack and extend the leases of messages in batches."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from google.api_core import exceptions
from google.pubsub_v1 import SubscriberClient

from launch.pubsub.errors import is_about_the_caller, is_passing, refused
from launch.pubsub.outstanding import OutstandingMessages, Settlement
from launch.pubsub.reachability import Reachability
from launch.pubsub.settings import PullSettings

_MAX_ACK_IDS = 1_000
"""A request may hold 512 KiB, and an ack id has up to some 220 bytes."""

_log = logging.getLogger(__name__)


class Acknowledger:
    """Send acks, nacks and lease extensions on a thread, until Pub/Sub accepts them.

    What Pub/Sub rejects for some messages is logged and dropped: these are delivered again.

    Args:
      client: the official one.
      subscription: its full name.
      outstanding: the messages.
      settings: how long leases last, and how often they are checked.
      reachability: records failures.
      clock: seconds, monotonic.
    """

    def __init__(
        self,
        client: SubscriberClient,
        subscription: str,
        outstanding: OutstandingMessages,
        settings: PullSettings,
        reachability: Reachability,
        *,
        clock: Callable[[], float],
    ) -> None:
        self._client = client
        self._arguments: dict[str, Any] = {
            "subscription": subscription,
            "retry": None,
            "timeout": settings.call_timeout_s,
        }
        self._outstanding = outstanding
        self._settings = settings
        self._reachability = reachability
        self._clock = clock
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._stop_at_s = 0.0
        self._thread = threading.Thread(target=self._run, name="pubsub-acknowledger", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Send acks and nacks now."""
        self._wake.set()

    def stop(self, within_s: float) -> None:
        """Send all acks and nacks, within a time limit, and end."""
        self._stop_at_s = time.monotonic() + within_s
        self._stopping.set()
        self._wake.set()
        self._thread.join(within_s)

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                self._wake.wait(self._settings.lease_check_every_s)
                self._wake.clear()
                self._stopping.wait(self._send())
            while self._has_unsent() and time.monotonic() < self._stop_at_s:
                time.sleep(self._send())
        except Exception as error:  # noqa: BLE001 - `pull` raises it
            self._outstanding.fail(error)

    def _send(self) -> float:
        """Send everything that is due; return the seconds to wait before the next attempt."""
        wait_s = 0.0
        for send in (self._extend_leases, self._settle):
            try:
                send()
            except exceptions.GoogleAPICallError as error:
                wait_s = max(wait_s, self._reachability.failed(error))
        return wait_s

    def _extend_leases(self) -> None:
        due = self._outstanding.leases_to_extend()
        for start in range(0, len(due), _MAX_ACK_IDS):
            ack_ids, extended_s = due[start : start + _MAX_ACK_IDS], self._clock()
            self._modify_ack_deadline(ack_ids, self._settings.lease_s)
            self._outstanding.record_extension(ack_ids, extended_s)

    def _settle(self) -> None:
        while ack_ids := self._outstanding.unsent(Settlement.ACK, _MAX_ACK_IDS):
            self._call(self._client.acknowledge, ack_ids)
            self._outstanding.remove(ack_ids)
        while ack_ids := self._outstanding.unsent(Settlement.NACK, _MAX_ACK_IDS):
            self._modify_ack_deadline(ack_ids, 0)
            self._outstanding.remove(ack_ids)

    def _modify_ack_deadline(self, ack_ids: Sequence[str], seconds: int) -> None:
        self._call(self._client.modify_ack_deadline, ack_ids, ack_deadline_seconds=seconds)

    def _call(self, method: Callable[..., Any], ack_ids: Sequence[str], **more: Any) -> None:
        """Call Pub/Sub.

        Raises:
          GoogleAPICallError: Pub/Sub does not answer now.
          Refused: Pub/Sub refuses until a person has changed something.
        """
        try:
            method(ack_ids=ack_ids, **self._arguments, **more)
        except exceptions.GoogleAPICallError as error:
            if is_passing(error):
                raise
            if is_about_the_caller(error):
                raise refused(self._reachability.action, error) from None
            _log.error(
                "Pub/Sub rejects a request about %d messages (%s): they may be delivered again",
                len(ack_ids),
                type(error).__name__,
            )
        self._reachability.succeeded()

    def _has_unsent(self) -> bool:
        return any(self._outstanding.unsent(each, 1) for each in Settlement)
