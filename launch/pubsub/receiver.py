"""Receive messages over one stream after another."""

import threading
import time
from collections.abc import Iterator
from typing import Any

from google.api_core import exceptions
from google.pubsub_v1 import SubscriberClient, types

from launch.pubsub.errors import Reachability, is_transient, refused
from launch.pubsub.outstanding import Delivery, OutstandingMessages, PullSettings
from schemas.message import Message

_HEARTBEAT_S = 30.0
"""A stream that has been open for so long is in order: no connection takes as long to fail."""

_CHECKS_PER_IDLE_TIME = 4


class Receiver:
    """Read a subscription on a thread until it is stopped, or Pub/Sub refuses.

    A unary Pull is simpler, but loses the messages that arrive as its time runs out, until their
    leases end (googleapis/google-cloud-python#8087), and needs many calls at once to be fast. Why
    it is not the client's own `subscribe`: docs/dependencies.md.

    A stream on which nothing arrived for a while is opened again: Google's emulator sends nothing
    on an open stream once another client was killed, though it has messages.
    """

    def __init__(
        self,
        client: SubscriberClient,
        subscription: str,
        settings: PullSettings,
        outstanding: OutstandingMessages,
        reachability: Reachability,
    ) -> None:
        self._client = client
        self._first_request = types.StreamingPullRequest(
            subscription=subscription,
            stream_ack_deadline_seconds=settings.lease_s,
            max_outstanding_messages=settings.max_messages,
            max_outstanding_bytes=settings.max_bytes,
        )
        self._outstanding = outstanding
        self._reachability = reachability
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._stream: Any = None
        self._reopen_after_s = settings.reopen_after_s
        # None while a response is being received.
        self._idle_since_s: float | None = None
        self._is_reopening = False
        self._thread = threading.Thread(target=self._run, name="pubsub-receiver", daemon=True)
        self._thread.start()

    def stop(self, within_s: float) -> None:
        """End the stream."""
        self._stopping.set()
        with self._lock:
            if self._stream is not None:
                self._stream.cancel()
        self._thread.join(within_s)

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                self._stopping.wait(self._read_stream())
        except Exception as error:  # noqa: BLE001 - `pull` raises it
            if not self._stopping.is_set():
                self._outstanding.fail(error)

    def _read_stream(self) -> float:
        """Read until the stream ends; return the seconds to wait before the next one."""
        ended = threading.Event()
        self._is_reopening = False
        try:
            stream = self._open(ended)
            self._idle_since_s = time.monotonic()
            for response in stream:
                self._idle_since_s = None
                self._reachability.succeeded()
                self._outstanding.receive(_deliveries(types.StreamingPullResponse.pb(response)))
                self._outstanding.wait_for_room()
                self._idle_since_s = time.monotonic()
        except exceptions.GoogleAPICallError as error:
            if self._is_reopening:
                return 0.0
            if not is_transient(error):
                raise refused(self._reachability.action, error) from None
            return self._reachability.failed(error)
        finally:
            ended.set()
        return self._reachability.failed(EOFError())

    def _open(self, ended: threading.Event) -> Iterator[Any]:
        routing = ("x-goog-request-params", f"subscription={self._first_request.subscription}")
        with self._lock:
            self._stream = self._client.streaming_pull(
                requests=self._requests(ended), retry=None, timeout=None, metadata=(routing,)
            )
            if self._stopping.is_set():
                self._stream.cancel()
        stream: Iterator[Any] = iter(self._stream)
        return stream

    def _requests(self, ended: threading.Event) -> Iterator[types.StreamingPullRequest]:
        """Open the stream, keep it alive, and end it if it is idle for too long."""
        yield self._first_request
        while not ended.wait(min(_HEARTBEAT_S, self._reopen_after_s / _CHECKS_PER_IDLE_TIME)):
            since_s = self._idle_since_s
            if since_s is not None and time.monotonic() - since_s >= self._reopen_after_s:
                self._is_reopening = True
                self._stream.cancel()
                return
            self._reachability.succeeded()
            yield types.StreamingPullRequest()


def _deliveries(response: Any) -> list[Delivery]:
    """Convert the messages of a response, a bare protocol buffer: it is faster to read."""
    return [
        Delivery(
            received.ack_id,
            Message(
                payload=received.message.data,
                attributes=dict(received.message.attributes),
                place=received.message.message_id,
                publish_time_us=received.message.publish_time.ToMicroseconds(),
            ),
            received.message.ByteSize(),
        )
        for received in response.received_messages
    ]
