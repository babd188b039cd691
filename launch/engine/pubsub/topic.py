"""Publish messages to a topic."""

import time
from collections.abc import Iterable, Iterator

from google.api_core import exceptions
from google.pubsub_v1 import PublisherClient, types

from groundwatch.launch.engine.pubsub import clients
from groundwatch.launch.engine.pubsub.pubsub_errors import (
    Reachability,
    Refused,
    Unpublished,
    is_transient,
    refused,
)
from groundwatch.pipeline.sinks.topic_messages import MAX_MESSAGE_BYTES, TopicMessage
from groundwatch.transforms.grounding.settings import GoogleAccount

MAX_MESSAGES = 1_000
_FRAME_BYTES = 16
_DEFAULT_ACCOUNT = GoogleAccount()


class Topic:
    """Publish messages, and return when Pub/Sub has stored them; for any number of threads.

    Unlike by the client's own `publish`, the messages of a request are stored together or not at
    all. No call is started after `total_s` seconds.
    """

    def __init__(
        self,
        name: str,
        *,
        address: str | None = None,
        account: GoogleAccount = _DEFAULT_ACCOUNT,
        call_timeout_s: float = 10.0,
        total_s: float = 120.0,
    ) -> None:
        self._client = clients.open_client(PublisherClient, address, account)
        self._name = name
        self._call_timeout_s = call_timeout_s
        self._total_s = total_s
        self._reachability = Reachability(f"publish to {clients.describe_resource(name, address)}")

    def publish(self, messages: Iterable[TopicMessage]) -> None:
        """Publish messages in order; `Unpublished` and `Refused` say how many are stored."""
        until_s = time.monotonic() + self._total_s
        stored = 0
        for request in _requests(self._name, messages):
            try:
                self._send(request, until_s)
            except (Refused, Unpublished) as error:
                error.stored = stored
                raise
            stored += len(request.messages)

    def try_access(self) -> None:
        """Raise `Refused` if the topic does not exist."""
        try:
            self._client.get_topic(topic=self._name, retry=None, timeout=self._call_timeout_s)
        except exceptions.NotFound as error:
            raise refused(self._reachability.action, error) from None
        except exceptions.GoogleAPICallError:
            # A publisher needs no permission to look at its topic, and an outage ends.
            return

    def close(self) -> None:
        clients.close(self._client)

    def _send(self, request: types.PublishRequest, until_s: float) -> None:
        while True:
            try:
                self._client.publish(request=request, retry=None, timeout=self._call_timeout_s)
            except exceptions.GoogleAPICallError as error:
                if not is_transient(error):
                    raise refused(self._reachability.action, error) from None
                wait_s = self._reachability.failed(error)
                if time.monotonic() + wait_s > until_s:
                    raise Unpublished(
                        f"cannot {self._reachability.action}: no answer within"
                        f" {self._total_s:g} s ({type(error).__name__})"
                    ) from None
                time.sleep(wait_s)
            else:
                self._reachability.succeeded()
                return


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
            len(batch) == MAX_MESSAGES
            or size_bytes + more_bytes > MAX_MESSAGE_BYTES
            or batch[0].ordering_key != message.ordering_key
        ):
            yield types.PublishRequest(topic=topic, messages=batch)
            batch, size_bytes = [], 0
        batch.append(wire)
        size_bytes += more_bytes
    if batch:
        yield types.PublishRequest(topic=topic, messages=batch)
