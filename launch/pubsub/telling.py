"""The calls by which Pub/Sub hears of messages that it delivered."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

from google.api_core import exceptions
from google.pubsub_v1 import SubscriberClient

from launch.pubsub.errors import is_about_the_caller, is_passing, refused
from launch.pubsub.reachability import Reachability

MOST_ACK_IDS = 1_000
"""A request may hold 512 KiB, and an ack id has up to some 220 bytes."""

_log = logging.getLogger(__name__)


class Telling:
    """Tells Pub/Sub of at most `MOST_ACK_IDS` deliveries at a time.

    What it does not accept of some messages is logged and dropped: these messages come again.

    Args:
      client: the official one.
      subscription: its full name.
      timeout_s: for one call.
      reachability: hears how it fares.
    """

    def __init__(
        self,
        client: SubscriberClient,
        subscription: str,
        timeout_s: float,
        reachability: Reachability,
    ) -> None:
        self._client = client
        self._arguments = {"subscription": subscription, "retry": None, "timeout": timeout_s}
        self._reachability = reachability

    def to_forget(self, ack_ids: Sequence[str]) -> None:
        """Acknowledge; raises as `_call`."""
        self._call(self._client.acknowledge, ack_ids)

    def to_wait(self, ack_ids: Sequence[str], seconds: int) -> None:
        """Let leases end so many seconds from now, at once for 0; raises as `_call`."""
        self._call(self._client.modify_ack_deadline, ack_ids, ack_deadline_seconds=seconds)

    def _call(self, method: Callable[..., Any], ack_ids: Sequence[str], **more: Any) -> None:
        """Call.

        Raises:
          GoogleAPICallError: Pub/Sub does not answer now.
          Refused: Pub/Sub will hear of no message until a person has changed something.
        """
        try:
            method(ack_ids=ack_ids, **self._arguments, **more)
        except exceptions.GoogleAPICallError as error:
            if is_passing(error):
                raise
            if is_about_the_caller(error):
                raise refused(self._reachability.doing, error) from None
            _log.error(
                "Pub/Sub will not hear of %d messages (%s): they may come again",
                len(ack_ids),
                type(error).__name__,
            )
        self._reachability.succeeded()
