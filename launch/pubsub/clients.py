"""Connect to Pub/Sub.

By themselves the official clients open, under PUBSUB_EMULATOR_HOST, a channel that takes no
response over 4 MiB, and otherwise one that reconnects only every two minutes after a long outage.
"""

import os
from typing import Any

import grpc
from google.pubsub_v1 import PublisherClient, SubscriberClient
from google.pubsub_v1.services.publisher.transports import PublisherGrpcTransport
from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcTransport

from transforms.grounding.credentials import find_credentials
from transforms.grounding.settings import GoogleAccount

_OPTIONS = [
    ("grpc.max_send_message_length", -1),
    ("grpc.max_receive_message_length", -1),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 2_000),
]


def open_subscriber(address: str | None, account: GoogleAccount) -> SubscriberClient:
    """Open a client for pulling; raise `Misconfigured` if credentials are missing.

    The default address is PUBSUB_EMULATOR_HOST, or else Google's service.
    """
    return SubscriberClient(transport=_transport(SubscriberGrpcTransport, address, account))


def open_publisher(address: str | None, account: GoogleAccount) -> PublisherClient:
    """Open a client for publishing; as `open_subscriber`."""
    return PublisherClient(transport=_transport(PublisherGrpcTransport, address, account))


def _transport(kind: Any, address: str | None, account: GoogleAccount) -> Any:
    address = address or os.environ.get("PUBSUB_EMULATOR_HOST")
    if address:
        return kind(channel=grpc.insecure_channel(address, options=_OPTIONS))
    return kind(
        credentials=find_credentials(account),
        quota_project_id=account.quota_project,
        channel=lambda host, **arguments: kind.create_channel(
            host, **{**arguments, "options": _OPTIONS}
        ),
        always_use_jwt_access=True,
    )


def close(client: SubscriberClient | PublisherClient) -> None:
    """Disconnect a client; calls that are in flight end."""
    transport: Any = client.transport
    transport.close()
