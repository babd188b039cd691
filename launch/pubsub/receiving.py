"""Messages as they come, over one stream after another."""

import threading
import time
from collections.abc import Iterator
from typing import Any

from google.api_core import exceptions
from google.pubsub_v1 import SubscriberClient, types

from launch.pubsub.delivery import deliveries_of
from launch.pubsub.errors import is_passing, refused
from launch.pubsub.held import Held
from launch.pubsub.reachability import Reachability
from launch.pubsub.settings import PullSettings

_HEARTBEAT_S = 30.0
"""A stream that has stayed open for so long is in order; no connection takes as long to fail."""

_LOOKS_A_WHILE = 4


class Receiver:
    """Reads a subscription on a thread of its own until it is stopped, or refused.

    Unary Pull is simpler, but loses the messages that come as its time runs out, until their lease
    has ended (googleapis/google-cloud-python#8087), and wants many calls at once to be fast. The
    client's own `subscribe` calls back for each message, at five times the processor time.

    A stream on which nothing came for a while is opened again: Google's emulator sends nothing on
    an open stream once another client was killed, though it has messages.

    Args:
      client: the official one.
      subscription: its full name.
      settings: how much to hold, and how long leases last.
      held: takes what is delivered, and says when there is room for more.
      reachability: hears how it fares.
    """

    def __init__(
        self,
        client: SubscriberClient,
        subscription: str,
        settings: PullSettings,
        held: Held,
        reachability: Reachability,
    ) -> None:
        self._client = client
        self._opening = types.StreamingPullRequest(
            subscription=subscription,
            stream_ack_deadline_seconds=settings.lease_s,
            max_outstanding_messages=settings.most_messages,
            max_outstanding_bytes=settings.most_bytes,
        )
        self._held = held
        self._reachability = reachability
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._stream: Any = None
        self._reopen_after_s = settings.reopen_after_s
        # Since when the stream is waited for; None while what it gave is taken in.
        self._idle_since_s: float | None = None
        self._is_reopening = False
        self._thread = threading.Thread(target=self._run, name="pubsub-receiver", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def stop(self, within_s: float) -> None:
        """End the stream; what it still holds comes again when its leases have ended."""
        self._stopping.set()
        with self._lock:
            if self._stream is not None:
                self._stream.cancel()
        self._thread.join(within_s)

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                wait_s = self._read_one_stream()
                self._stopping.wait(wait_s)
        except Exception as error:  # noqa: BLE001 - a thread has nobody else to tell
            if not self._stopping.is_set():
                self._held.fail(error)

    def _read_one_stream(self) -> float:
        """Read until the stream ends; returns the seconds to wait before the next one."""
        ended = threading.Event()
        self._is_reopening = False
        try:
            stream = self._open(ended)
            self._idle_since_s = time.monotonic()
            for response in stream:
                self._idle_since_s = None
                self._reachability.succeeded()
                self._held.receive(deliveries_of(types.StreamingPullResponse.pb(response)))
                self._held.wait_for_room()
                self._idle_since_s = time.monotonic()
        except exceptions.GoogleAPICallError as error:
            if self._is_reopening:
                return 0.0
            if not is_passing(error):
                raise refused(self._reachability.doing, error) from None
            return self._reachability.failed(error)
        finally:
            ended.set()
        return self._reachability.failed(EOFError())

    def _open(self, ended: threading.Event) -> Iterator[Any]:
        routing = ("x-goog-request-params", f"subscription={self._opening.subscription}")
        with self._lock:
            self._stream = self._client.streaming_pull(
                requests=self._requests(ended), retry=None, timeout=None, metadata=(routing,)
            )
            if self._stopping.is_set():
                self._stream.cancel()
        stream: Iterator[Any] = iter(self._stream)
        return stream

    def _requests(self, ended: threading.Event) -> Iterator[types.StreamingPullRequest]:
        """Open the stream, keep it alive, and end it when it has been idle for long."""
        yield self._opening
        while not ended.wait(min(_HEARTBEAT_S, self._reopen_after_s / _LOOKS_A_WHILE)):
            if self._is_idle():
                self._is_reopening = True
                self._stream.cancel()
                return
            self._reachability.succeeded()
            yield types.StreamingPullRequest()

    def _is_idle(self) -> bool:
        since_s = self._idle_since_s
        return since_s is not None and time.monotonic() - since_s >= self._reopen_after_s
