"""Pull messages from a subscription, and acknowledge them once their outcome is durable."""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Protocol

from google.api_core import exceptions
from google.pubsub_v1 import SubscriberClient, types
from msgspec.structs import replace

from groundwatch.schemas.message import Message
from groundwatch.transforms.grounding.settings import GoogleAccount
from . import clients, outstanding
from .pubsub_errors import (
    Reachability,
    Refused,
    find_missing,
    is_about_the_caller,
    is_transient,
    refusal,
)

_MAX_ACK_IDS = 1_000  # a request may hold 512 KiB, and an ack id has up to some 220 bytes
# A stream that has been open for so long is in order: no connection takes as long to fail.
_HEARTBEAT_S = 30.0
_CHECKS_PER_IDLE_TIME = 4
_END_WITHIN_S = 5.0
_DEFAULTS, _DEFAULT_ACCOUNT = outstanding.PullSettings(), GoogleAccount()
_log = logging.getLogger(__name__)


class Subscription(Protocol):
    """What a worker needs of a subscription: see `PubSubSubscription`."""

    def pull(self, max_messages: int, max_bytes: int, wait_s: float) -> Sequence[Message]:
        """Return messages, after a wait for a first one."""

    def acknowledge(self, places: Iterable[str]) -> None:
        """Acknowledge messages whose outcome is durable."""

    def stats(self) -> outstanding.SubscriptionStats:
        """Count the messages."""

    def close(self, within_s: float) -> object:
        """Stop reading."""


def find_missing_subscription(
    name: str, *, address: str | None = None, account: GoogleAccount = _DEFAULT_ACCOUNT
) -> str | None:
    """Say that a subscription does not exist, None if it does or nobody knows."""
    client = clients.open_client(SubscriberClient, address, account)
    timeout_s = _DEFAULTS.call_timeout_s
    look = partial(client.get_subscription, subscription=name, retry=None, timeout=timeout_s)
    try:
        return find_missing(look, f"pull from {clients.describe_resource(name, address)}")
    finally:
        clients.close(client)


class PubSubSubscription:
    """Pull from Pub/Sub, and extend the leases of messages until they are acknowledged.

    If this process dies, a message that it has not acknowledged is delivered again when its lease
    ends. A message that is delivered again while it is outstanding is not returned twice. An outage
    of Pub/Sub is waited out, with one log line when it begins and one when it ends. What Pub/Sub
    rejects about some messages is logged and dropped: these are delivered again. Log lines and
    exceptions contain nothing of a message. Every method may be called from any thread.

    A unary Pull is simpler, but loses the messages that arrive as its time runs out, until their
    leases end (googleapis/google-cloud-python#8087), and needs many calls at once to be fast. Why
    it is not the client's own `subscribe`: docs/dependencies.md. A stream on which nothing arrived
    for a while is opened again: Google's emulator sends nothing on an open stream once another
    client was killed, though it has messages.
    """

    def __init__(
        self,
        name: str,
        settings: outstanding.PullSettings = _DEFAULTS,
        *,
        address: str | None = None,
        account: GoogleAccount = _DEFAULT_ACCOUNT,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._client = clients.open_client(SubscriberClient, address, account)
        self._name = name
        self._settings = settings
        self._clock = clock
        self._outstanding = outstanding.OutstandingMessages(settings, clock, wall_clock)
        described = clients.describe_resource(name, address)
        self._pulling = Reachability(f"pull from {described}", clock)
        self._acknowledging = Reachability(f"acknowledge messages of {described}", clock)
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._draining = threading.Event()
        self._stop_at_s = 0.0
        self._lock = threading.Lock()
        self._stream: Any = None
        # None while a response is being received.
        self._idle_since_s: float | None = None
        self._is_reopening = False
        self._receiver = _start_thread(self._receive, "pubsub-receiver")
        self._acknowledger = _start_thread(self._send_until_stopped, "pubsub-acknowledger")

    def pull(self, max_messages: int, max_bytes: int, wait_s: float) -> tuple[Message, ...]:
        """Return messages after a wait for a first one, which may exceed `max_bytes`.

        After `close` there are none. Raise `Refused` if Pub/Sub refuses.
        """
        return self._outstanding.pull(max_messages, max_bytes, wait_s)

    def acknowledge(self, places: Iterable[str]) -> None:
        """Acknowledge messages in the background; ignore those that are not outstanding."""
        self._outstanding.mark(places, outstanding.Settlement.ACK)
        self._wake.set()

    def stats(self) -> outstanding.SubscriptionStats:
        is_available = not (self._pulling.is_away or self._acknowledging.is_away)
        return replace(self._outstanding.stats(), is_available=is_available)

    def close(self, within_s: float = 10.0) -> outstanding.SubscriptionStats:
        """Stop reading, nack what is not acknowledged, send acks and nacks, and disconnect.

        What is still outstanding when the time is up is returned, and delivered again.
        """
        self._stop_at_s = time.monotonic() + within_s
        self._outstanding.close()
        self._stopping.set()
        with self._lock:
            if self._stream is not None:
                self._stream.cancel()
        self._receiver.join(within_s / 2)
        self._draining.set()
        self._wake.set()
        self._acknowledger.join(max(0.0, self._stop_at_s - time.monotonic()))
        clients.close(self._client)
        return self._outstanding.stats()

    def _receive(self) -> None:
        try:
            while not self._stopping.is_set():
                self._stopping.wait(self._read_stream())
        except Exception as error:  # noqa: BLE001 - `pull` raises it
            if not self._stopping.is_set():
                self._outstanding.fail(error)

    def _read_stream(self) -> float:
        """Read until the stream ends; return the seconds to wait before the next one."""
        ended = threading.Event()
        end: Exception = EOFError()
        self._is_reopening = False
        try:
            stream = self._open_stream(ended)
            self._idle_since_s = time.monotonic()
            for response in stream:
                self._idle_since_s = None
                self._pulling.succeeded()
                self._outstanding.receive(_deliveries(types.StreamingPullResponse.pb(response)))
                self._outstanding.wait_for_room()
                self._idle_since_s = time.monotonic()
        except exceptions.GoogleAPICallError as error:
            if not self._is_reopening and not is_transient(error):
                raise Refused(refusal(self._pulling.action, error)) from None
            end = error
        finally:
            ended.set()
        return 0.0 if self._is_reopening else self._pulling.failed(end)

    def _open_stream(self, ended: threading.Event) -> Any:
        routing = ("x-goog-request-params", f"subscription={self._name}")
        with self._lock:
            self._stream = stream = self._client.streaming_pull(
                requests=self._requests(ended), retry=None, timeout=None, metadata=(routing,)
            )
            if self._stopping.is_set():
                self._stream.cancel()
        return stream

    def _requests(self, ended: threading.Event) -> Iterator[types.StreamingPullRequest]:
        """Open the stream, keep it alive, and end it if it is idle for too long.

        Pub/Sub ends it then. A canceled stream loses the messages on their way until their leases
        end, so it is canceled only if Pub/Sub does not end it.
        """
        yield types.StreamingPullRequest(
            subscription=self._name,
            stream_ack_deadline_seconds=self._settings.lease_s,
            max_outstanding_messages=self._settings.max_messages,
            max_outstanding_bytes=self._settings.max_bytes,
        )
        reopen_after_s = self._settings.reopen_after_s
        while not ended.wait(min(_HEARTBEAT_S, reopen_after_s / _CHECKS_PER_IDLE_TIME)):
            since_s = self._idle_since_s
            if since_s is not None and time.monotonic() - since_s >= reopen_after_s:
                self._is_reopening = True
                cancel = threading.Timer(min(_END_WITHIN_S, reopen_after_s), self._stream.cancel)
                cancel.daemon = True
                cancel.start()
                return
            self._pulling.succeeded()
            yield types.StreamingPullRequest()

    def _send_until_stopped(self) -> None:
        """Send acks, nacks and lease extensions until Pub/Sub has accepted all."""
        try:
            while not self._draining.is_set():
                self._wake.wait(self._settings.lease_check_every_s)
                self._wake.clear()
                self._draining.wait(self._send())
            while self._outstanding.stats().settled and time.monotonic() < self._stop_at_s:
                time.sleep(self._send())
        except Exception as error:  # noqa: BLE001 - `pull` raises it
            self._outstanding.fail(error)

    def _send(self) -> float:
        """Send everything that is due; return the seconds to wait before the next attempt."""
        wait_s = 0.0
        for send in (self._extend_leases, self._send_acks_and_nacks):
            try:
                send()
            except exceptions.GoogleAPICallError as error:
                wait_s = max(wait_s, self._acknowledging.failed(error))
        return wait_s

    def _extend_leases(self) -> None:
        due = self._outstanding.leases_to_extend()
        for start in range(0, len(due), _MAX_ACK_IDS):
            ack_ids, extended_s = due[start : start + _MAX_ACK_IDS], self._clock()
            self._modify_ack_deadline(ack_ids, self._settings.lease_s)
            self._outstanding.record_extension(ack_ids, extended_s)

    def _send_acks_and_nacks(self) -> None:
        while ack_ids := self._outstanding.unsent(outstanding.Settlement.ACK, _MAX_ACK_IDS):
            self._call(self._client.acknowledge, ack_ids)
            self._outstanding.remove(ack_ids)
        while ack_ids := self._outstanding.unsent(outstanding.Settlement.NACK, _MAX_ACK_IDS):
            self._modify_ack_deadline(ack_ids, 0)
            self._outstanding.remove(ack_ids)

    def _modify_ack_deadline(self, ack_ids: Sequence[str], seconds: int) -> None:
        self._call(self._client.modify_ack_deadline, ack_ids, ack_deadline_seconds=seconds)

    def _call(self, method: Callable[..., Any], ack_ids: Sequence[str], **more: Any) -> None:
        """Call Pub/Sub; raise if it does not answer now, or refuses until a person acts."""
        timeout_s = self._settings.call_timeout_s
        try:
            method(subscription=self._name, ack_ids=ack_ids, retry=None, timeout=timeout_s, **more)
        except exceptions.GoogleAPICallError as error:
            if is_transient(error):
                raise
            if is_about_the_caller(error):
                raise Refused(refusal(self._acknowledging.action, error)) from None
            text = "Pub/Sub rejects a request about %d messages (%s): they may be delivered again"
            _log.error(text, len(ack_ids), type(error).__name__)
        self._acknowledging.succeeded()


def _start_thread(target: Callable[[], None], name: str) -> threading.Thread:
    thread = threading.Thread(target=target, name=name, daemon=True)
    thread.start()
    return thread


def _deliveries(response: Any) -> list[outstanding.ReceivedMessage]:
    """Convert the messages of a response, a bare protocol buffer: it is faster to read."""
    return [
        (
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
