"""Connect to Pub/Sub.

By themselves the official clients open, under PUBSUB_EMULATOR_HOST, a channel that takes no
response over 4 MiB, and otherwise one that reconnects only every two minutes after a long outage.
"""

import os
from typing import Any, TypeVar

import grpc
from google.pubsub_v1 import PublisherClient, SubscriberClient

from groundwatch.transforms.grounding.credentials import find_credentials
from groundwatch.transforms.grounding.settings import GoogleAccount

_OPTIONS = [
    ("grpc.max_send_message_length", -1),
    ("grpc.max_receive_message_length", -1),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 2_000),
]
_EMULATOR = "PUBSUB_EMULATOR_HOST"
_Client = TypeVar("_Client", SubscriberClient, PublisherClient)


def open_client(kind: type[_Client], address: str | None, account: GoogleAccount) -> _Client:
    """Open a client of a kind; raise `Misconfigured` if credentials are missing.

    The default address is PUBSUB_EMULATOR_HOST, or else Google's service.
    """
    transport: Any = kind.get_transport_class("grpc")
    if address := address or os.environ.get(_EMULATOR):
        channel = grpc.insecure_channel(address, options=_OPTIONS)
        return kind(transport=transport(channel=channel))
    return kind(
        transport=transport(
            credentials=find_credentials(account),
            quota_project_id=account.quota_project,
            channel=lambda host, **arguments: transport.create_channel(
                host, **{**arguments, "options": _OPTIONS}
            ),
            always_use_jwt_access=True,
        )
    )


def describe(name: str, address: str | None) -> str:
    """Name a topic or subscription, and its server unless it is Google's."""
    server = address or os.environ.get(_EMULATOR)
    return f"{name} at {server}" if server else name


def close(client: SubscriberClient | PublisherClient) -> None:
    """Disconnect a client; calls that are in flight end."""
    transport: Any = client.transport
    transport.close()
