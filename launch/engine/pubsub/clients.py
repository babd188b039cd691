"""Connect to Pub/Sub.

By themselves the official clients open, under PUBSUB_EMULATOR_HOST, a channel that takes no
response over 4 MiB, and otherwise one that reconnects only every two minutes after a long outage.
"""

from typing import Any, TypeVar

import grpc
from google.pubsub_v1 import PublisherClient, SubscriberClient

from groundwatch.transforms.grounding.credentials import find_credentials
from groundwatch.transforms.grounding.settings import GoogleAccount
from groundwatch.transforms.runtime import network_environment

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
    server = _server(address)
    proxy = _proxy(server)
    # gRPC reads fewer variables by itself, and goes through a proxy to this machine, too.
    through_proxy = ("grpc.http_proxy", proxy.url) if proxy else ("grpc.enable_http_proxy", 0)
    options = [*_OPTIONS, through_proxy]
    if server:
        return kind(transport=transport(channel=grpc.insecure_channel(server, options=options)))
    return kind(
        transport=transport(
            credentials=find_credentials(account),
            quota_project_id=account.quota_project,
            channel=lambda host, **arguments: transport.create_channel(
                host, **{**arguments, "options": options}
            ),
            always_use_jwt_access=True,
        )
    )


def _server(address: str | None) -> str | None:
    """Return the address of a server without encryption, None for Google's service."""
    return address or network_environment.read_variable(_EMULATOR)


def _proxy(server: str | None) -> network_environment.Proxy | None:
    google = f"https://{PublisherClient.DEFAULT_ENDPOINT}"
    return network_environment.choose_proxy(f"http://{server}" if server else google)


def describe_resource(name: str, address: str | None) -> str:
    """Name a topic or subscription, its server unless it is Google's, and a proxy before it."""
    server = _server(address)
    place = f"{name} at {server}" if server else name
    return f"{place}{network_environment.through(_proxy(server))}"


def close(client: SubscriberClient | PublisherClient) -> None:
    """Disconnect a client; calls that are in flight end."""
    transport: Any = client.transport
    transport.close()
