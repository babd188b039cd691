"""The server: listens, goes away, comes back."""

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Self

import grpc

from groundwatch.schemas import Record
from tests.support.fake_pubsub.broker import Broker
from tests.support.fake_pubsub.counts import Counts
from tests.support.fake_pubsub.faults import Faults
from tests.support.fake_pubsub.reading import Reader
from tests.support.fake_pubsub.rpc import handler
from tests.support.fake_pubsub.services import publisher, subscriber
from tests.support.fake_pubsub.wire import PubsubMessage, Subscription, Topic

_MOST_CALLS = 64
_STOP_WITHIN_S = 60.0
_MOST_RESPONSE_BYTES = 3_500_000
"""Under PUBSUB_EMULATOR_HOST the official client takes no response over 4 MiB."""
_OPTIONS = (
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    ("grpc.so_reuseport", 0),
)


class ServerSettings(Record, frozen=True, kw_only=True):
    """How the server is set up.

    Attributes:
      port: on 127.0.0.1; 0 takes a free one, and keeps it.
      empty_pull_s: how long a Pull waits for its first message.
    """

    port: int = 0
    empty_pull_s: float = 5.0


class FakePubSub:
    """Serves Pub/Sub on 127.0.0.1, within this process, for as long as it is entered.

    Attributes:
      address: such as ``127.0.0.1:8085``, what PUBSUB_EMULATOR_HOST takes.
      faults: what it does wrong.

    Args:
      settings: how it is set up.
      clock: seconds since 1970, for publish times and leases; a test moves its own.
    """

    def __init__(
        self,
        settings: ServerSettings = ServerSettings(),  # noqa: B008 - it is frozen
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.address = ""
        self.faults = Faults()
        self._settings = settings
        self._port = settings.port
        self._broker = Broker(clock, self.faults)
        self._server: grpc.Server | None = None
        self._reader = Reader(self._broker, self.faults, _MOST_RESPONSE_BYTES)

    def __enter__(self) -> Self:
        self.come_back()
        return self

    def __exit__(self, *_: object) -> None:
        self.go_away()

    def go_away(self) -> None:
        """End all calls and connections at once, and refuse new ones; what is stored stays."""
        if self._server:
            assert self._server.stop(grace=None).wait(_STOP_WITHIN_S)
            self._server = None

    def come_back(self) -> None:
        """Listen, on the same port as before.

        Raises:
          RuntimeError: somebody else has taken the port.
        """
        pool = ThreadPoolExecutor(_MOST_CALLS, thread_name_prefix="pubsub-server")
        server = grpc.server(pool, options=_OPTIONS)
        services = (
            publisher(self._broker),
            subscriber(self._broker, self._reader, self._settings.empty_pull_s),
        )
        server.add_generic_rpc_handlers([handler(service, self.faults) for service in services])
        self._port = server.add_insecure_port(f"127.0.0.1:{self._port}")
        self.address = f"127.0.0.1:{self._port}"
        server.start()
        self._server = server

    def kill_connections(self) -> None:
        """End all calls and connections at once, and accept new ones."""
        self.go_away()
        self.come_back()

    def create(self, topic: str, subscription: str) -> None:
        """Create a topic and a subscription to it, as their clients could.

        Args:
          topic: such as `projects/p/topics/t`.
          subscription: such as `projects/p/subscriptions/s`.

        Raises:
          Refused: a name is none, or is taken.
        """
        self._broker.create_topic(Topic(name=topic))
        self._broker.create_subscription(Subscription(name=subscription, topic=topic))

    def delete(self, topic: str) -> None:
        """Delete a topic, as its clients could; its subscriptions stay, and get nothing more."""
        self._broker.delete_topic(topic)

    def publish(self, topic: str, payloads: Iterable[bytes], **attributes: str) -> None:
        """Publish messages with equal attributes; raises as the client does of an unknown topic."""
        messages = (PubsubMessage(data=payload, attributes=attributes) for payload in payloads)
        self._broker.publish(topic, messages)

    @property
    def streams(self) -> int:
        """How many streams may still be given messages; one ends a moment after its client."""
        return self._reader.streams

    def counts(self, subscription: str) -> Counts:
        """Say what a subscription has seen.

        Args:
          subscription: such as `projects/p/subscriptions/s`.

        Raises:
          Refused: the subscription does not exist.
        """
        return self._broker.counts(subscription)
