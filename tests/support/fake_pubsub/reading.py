"""Waiting for messages on behalf of a call."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.support.fake_pubsub.broker import Broker
from tests.support.fake_pubsub.faults import Faults
from tests.support.fake_pubsub.leases import Flow
from tests.support.fake_pubsub.rpc import Context

_MOST_MESSAGES = 1_000
_LOOK_AGAIN_S = 0.02
"""Leases end by the broker's clock, which wakes nobody."""


class Reader:
    """Takes messages out of a backlog as soon as there are some.

    Args:
      broker: the state.
      faults: when to be away.
      most_bytes: of all messages of one response; a single larger message still comes through.
    """

    def __init__(self, broker: Broker, faults: Faults, most_bytes: int) -> None:
        self._broker = broker
        self._faults = faults
        self._most_bytes = most_bytes
        self.streams = 0

    @contextmanager
    def streaming(self) -> Iterator[None]:
        """Count a stream while a `with` block lasts."""
        with self._broker.changed:
            self.streams += 1
        try:
            yield
        finally:
            with self._broker.changed:
                self.streams -= 1

    @property
    def starves_streams(self) -> bool:
        """Whether a stream that is opened now gets no message."""
        return self._faults.starves_streams

    @property
    def sends_late(self) -> bool:
        """Whether a response waits until the client has ended its requests."""
        return self._faults.sends_late

    def fill(
        self,
        response: Any,
        context: Context,
        subscription: str,
        *,
        most_messages: int = _MOST_MESSAGES,
        wait_s: float,
        lease_s: float | None = None,
        flow: Flow | None = None,
    ) -> Any:
        """Wait for messages and put them into a response.

        Args:
          response: a PullResponse or StreamingPullResponse.
          context: the call; no message is given to one that has ended.
          subscription: its name.
          most_messages: how many the caller wants at most.
          wait_s: for how long to wait while there are none.
          lease_s: how long the leases last, None for the subscription's ack deadline.
          flow: what the caller is willing to hold.

        Returns:
          The response, empty when nothing came.

        Raises:
          Refused: the subscription does not exist, or the server is unavailable.
        """
        until_s = time.monotonic() + wait_s
        with self._broker.changed:
            while context.is_active():
                self._faults.strike()
                backlog = self._broker.backlog(subscription)
                messages, size_bytes = self._room(most_messages, flow)
                now_s = self._broker.clock()
                leases = backlog.take(messages, size_bytes, now_s, lease_s=lease_s, flow=flow)
                if leases or time.monotonic() >= until_s:
                    for lease in leases:
                        message = lease.pending.message
                        response.received_messages.add(ack_id=lease.ack_id, message=message)
                    return response
                self._broker.changed.wait(_LOOK_AGAIN_S)
        return response

    def _room(self, most_messages: int, flow: Flow | None) -> tuple[int, int]:
        messages, size_bytes = min(most_messages, _MOST_MESSAGES), self._most_bytes
        if flow is None:
            return messages, size_bytes
        if flow.held_bytes >= flow.most_bytes:
            return 0, 0
        messages = min(messages, flow.most_messages - flow.held_messages)
        return messages, min(size_bytes, flow.most_bytes - flow.held_bytes)
