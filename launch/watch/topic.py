"""Publish alerts, failures or enriched records to a topic."""

import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from google.api_core import exceptions
from google.pubsub_v1 import PublisherClient, types

from groundwatch.launch.engine.pubsub import clients
from groundwatch.launch.engine.pubsub.pubsub_errors import (
    Reachability,
    find_missing,
    is_transient,
    refusal,
)
from groundwatch.launch.targets.target import (
    Target,
    TargetFailed,
    TargetMisconfigured,
    TargetUnavailable,
)
from groundwatch.pipeline.sinks.topic_messages import MAX_MESSAGE_BYTES, TopicMessage
from groundwatch.transforms.grounding.settings import GoogleAccount

MAX_MESSAGES = 1_000
_FRAME_BYTES = 16


class Topic(Target[Any]):
    """Publish each row as a message, those with the same ordering key in order.

    Unlike by the client's own `publish`, the messages of a request are stored together or not at
    all. No call is started after `total_s` seconds. Without `encode` the rows are messages.
    """

    def __init__(
        self,
        topic: str,
        *,
        kind: str = "topic",
        encode: Callable[[Any], TopicMessage] | None = None,
        address: str | None = None,
        account: GoogleAccount = GoogleAccount(),  # noqa: B008 - it is frozen
        call_timeout_s: float = 10.0,
        total_s: float = 120.0,
    ) -> None:
        self._client = clients.open_client(PublisherClient, address, account)
        self.name = kind
        self._topic = topic
        self._encode = encode or (lambda message: message)
        self._call_timeout_s = call_timeout_s
        self._total_s = total_s
        self._reachability = Reachability(f"publish to {clients.describe_resource(topic, address)}")

    def group_of(self, row: Any) -> str:
        """Return the ordering key: a request holds messages of one."""
        return self._encode(row).ordering_key

    def send(self, rows: Iterable[Any]) -> None:
        until_s = time.monotonic() + self._total_s
        stored = 0
        for request in _requests(self._topic, map(self._encode, rows)):
            try:
                self._send(request, until_s)
            except TargetFailed as error:
                error.stored = stored
                raise
            stored += len(request.messages)

    def try_access(self) -> None:
        """Raise `TargetMisconfigured` if the topic does not exist."""
        look = partial(
            self._client.get_topic, topic=self._topic, retry=None, timeout=self._call_timeout_s
        )
        if missing := find_missing(look, self._reachability.action):
            raise TargetMisconfigured(missing)

    def close(self) -> None:
        clients.close(self._client)

    def _send(self, request: types.PublishRequest, until_s: float) -> None:
        while True:
            try:
                self._client.publish(request=request, retry=None, timeout=self._call_timeout_s)
            except exceptions.GoogleAPICallError as error:
                if not is_transient(error):
                    raise TargetMisconfigured(refusal(self._reachability.action, error)) from None
                wait_s = self._reachability.failed(error)
                if time.monotonic() + wait_s > until_s:
                    raise TargetUnavailable(
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
