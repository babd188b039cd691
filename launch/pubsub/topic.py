"""Publish messages to a topic."""

import time
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Self

from google.api_core import exceptions
from google.api_core.retry import Retry
from google.pubsub_v1 import PublisherClient, types

from launch.pubsub import clients
from launch.pubsub.errors import Reachability, Unpublished, is_transient, refused
from schemas import Record
from transforms.grounding.settings import GoogleAccount
from transforms.rules.topic_messages import MAX_MESSAGE_BYTES, TopicMessage

_MAX_MESSAGES = 1_000
_FRAME_BYTES = 16
_FIRST_WAIT_S = 0.1
_MAX_WAIT_S = 2.0


class PublishSettings(Record, frozen=True, kw_only=True):
    """The time for one call of Pub/Sub, and after which no other call is started."""

    call_timeout_s: float = 10.0
    total_s: float = 120.0


_DEFAULTS = PublishSettings()


class Topic:
    """Publish messages, and return when Pub/Sub has stored them.

    The client's own `publish` takes attributes as arguments, batches by time and reports by
    futures; here whole requests are sent, whose messages are stored together or not at all. May be
    used from any thread.
    """

    def __init__(
        self,
        client: PublisherClient,
        name: str,
        settings: PublishSettings = _DEFAULTS,
    ) -> None:
        self._client = client
        self._name = name
        self._settings = settings
        self._reachability = Reachability(f"publish to {name}")

    @classmethod
    def open(
        cls,
        name: str,
        settings: PublishSettings = _DEFAULTS,
        *,
        address: str | None = None,
        account: GoogleAccount = GoogleAccount(),  # noqa: B008 - it is frozen
    ) -> Self:
        """Connect to a topic by its full name, `projects/p/topics/t`; as of `open_publisher`."""
        return cls(clients.open_publisher(address, account), name, settings)

    def publish(self, messages: Iterable[TopicMessage]) -> None:
        """Publish messages of `build_message`, in order, and wait until Pub/Sub has stored them.

        Raises:
          Unpublished: Pub/Sub did not answer in time; the first messages may be stored.
          Refused: Pub/Sub refuses until a person has changed something.
        """
        until_s = time.monotonic() + self._settings.total_s
        for request in _requests(self._name, messages):
            self._send(request, until_s - time.monotonic())

    def close(self) -> None:
        """Disconnect."""
        clients.close(self._client)

    def _send(self, request: types.PublishRequest, left_s: float) -> None:
        timeout_s = self._settings.call_timeout_s
        send = partial(self._client.publish, request=request, retry=None, timeout=timeout_s)
        retry = Retry(
            predicate=is_transient,
            initial=_FIRST_WAIT_S,
            maximum=_MAX_WAIT_S,
            timeout=left_s,
            on_error=self._reachability.failed,
        )
        try:
            retry(send)()
        except exceptions.RetryError as error:
            raise Unpublished(
                f"cannot {self._reachability.action}: no answer within"
                f" {self._settings.total_s:g} s ({type(error.cause).__name__})"
            ) from None
        except exceptions.GoogleAPICallError as error:
            raise refused(self._reachability.action, error) from None
        self._reachability.succeeded()


def _requests(topic: str, messages: Iterable[TopicMessage]) -> Iterator[types.PublishRequest]:
    """Group messages into requests, each of one ordering key."""
    batch: list[types.PubsubMessage] = []
    size_bytes = 0
    for message in messages:
        wire = types.PubsubMessage.pb()(
            data=message.data, attributes=message.attributes, ordering_key=message.ordering_key
        )
        more_bytes = wire.ByteSize() + _FRAME_BYTES
        if batch and (
            len(batch) == _MAX_MESSAGES
            or size_bytes + more_bytes > MAX_MESSAGE_BYTES
            or batch[0].ordering_key != message.ordering_key
        ):
            yield types.PublishRequest(topic=topic, messages=batch)
            batch, size_bytes = [], 0
        batch.append(wire)
        size_bytes += more_bytes
    if batch:
        yield types.PublishRequest(topic=topic, messages=batch)
