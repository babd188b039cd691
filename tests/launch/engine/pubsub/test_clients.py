"""Addresses, credentials, and connections that break."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.api_core.exceptions import GoogleAPICallError
from google.pubsub_v1 import PublisherClient, SubscriberClient

from groundwatch.launch.engine.pubsub import clients
from groundwatch.transforms.grounding.errors import Misconfigured
from groundwatch.transforms.grounding.settings import GoogleAccount
from tests.support.fake_pubsub.server import FakePubSub
from tests.support.google_accounts import write_key_file
from tests.support.http_messages import Reply
from tests.support.network import unset_network
from tests.support.results_server import ResultsServer, results_server

KINDS: dict[str, Any] = {"subscriber": SubscriberClient, "publisher": PublisherClient}


@pytest.fixture(autouse=True)
def _no_emulator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PUBSUB_EMULATOR_HOST", raising=False)


@pytest.mark.parametrize("kind", KINDS)
def test_missing_credentials_raise_with_advice(
    kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "missing.json"))
    with pytest.raises(Misconfigured, match="gcloud auth"):
        clients.open_client(KINDS[kind], None, GoogleAccount())


@pytest.mark.parametrize("kind", KINDS)
def test_without_an_address_googles_service_is_called(kind: str, tmp_path: Path) -> None:
    key_file = write_key_file(tmp_path / "key.json", "http://127.0.0.1:1/token")
    client = clients.open_client(KINDS[kind], None, GoogleAccount(credentials_file=key_file))
    assert client.transport.host == "pubsub.googleapis.com:443"
    clients.close(client)


@pytest.mark.parametrize("by", ["argument", "environment"])
def test_a_server_without_encryption_needs_no_credentials(
    own_server: FakePubSub, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    own_server.create("projects/lamps/topics/answers", "projects/lamps/subscriptions/answers")
    if by == "environment":
        monkeypatch.setenv("PUBSUB_EMULATOR_HOST", own_server.address)
    client = clients.open_client(
        PublisherClient, own_server.address if by == "argument" else None, GoogleAccount()
    )
    assert client.get_topic(topic="projects/lamps/topics/answers").name
    clients.close(client)


BROKEN_CONNECTION = """
from groundwatch.launch.watch.topic import Topic
from tests.support.fake_pubsub.server import FakePubSub
from groundwatch.pipeline.sinks.topic_messages import TopicMessage

with FakePubSub() as server:
    server.create("projects/lamps/topics/answers", "projects/lamps/subscriptions/answers")
    topic = Topic("projects/lamps/topics/answers", address=server.address)
    for _ in range(2):
        topic.send([TopicMessage(data=b"lamps", attributes={})])
        server.kill_connections()
"""


def test_grpc_itself_says_nothing_when_connections_break() -> None:
    command = [sys.executable, "-c", BROKEN_CONNECTION]
    environment = {name: value for name, value in os.environ.items() if name != "GRPC_VERBOSITY"}
    ended = subprocess.run(command, env=environment, capture_output=True, check=False, timeout=60)  # noqa: S603 - ours
    assert (ended.returncode, ended.stderr) == (0, b"")


@pytest.fixture
def proxy() -> Iterator[ResultsServer]:
    """A proxy that lets nothing through; it keeps what it was asked to connect to."""
    with results_server() as server:
        server.answer = lambda _: Reply(403)
        yield server


@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"])
def test_no_proxy_stands_before_this_machine(
    variable: str, own_server: FakePubSub, proxy: ResultsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_server.create("projects/lamps/topics/answers", "projects/lamps/subscriptions/answers")
    unset_network(monkeypatch)
    monkeypatch.setenv(variable, proxy.url)
    client = clients.open_client(PublisherClient, own_server.address, GoogleAccount())
    assert client.get_topic(topic="projects/lamps/topics/answers").name
    assert not proxy.received
    clients.close(client)
    assert (
        clients.describe_resource("answers", own_server.address)
        == f"answers at {own_server.address}"
    )


@pytest.mark.parametrize(
    ("variable", "address"), [("HTTP_PROXY", "p.example:85"), ("ALL_PROXY", None)]
)
def test_a_proxy_stands_before_another_machine_and_is_named(
    variable: str,
    address: str | None,
    proxy: ResultsServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    key_file = write_key_file(tmp_path / "key.json", "http://127.0.0.1:1/token")
    unset_network(monkeypatch)
    monkeypatch.setenv(variable, proxy.url)
    account = GoogleAccount(credentials_file=key_file)
    client = clients.open_client(PublisherClient, address, account)
    with pytest.raises(GoogleAPICallError):
        client.get_topic(topic="projects/lamps/topics/answers", retry=None, timeout=10)
    clients.close(client)
    asked = {(each.method, each.path) for each in proxy.received}
    assert asked == {("CONNECT", address or "pubsub.googleapis.com:443")}
    shown = clients.describe_resource("answers", address)
    assert shown.endswith(f"through the proxy {proxy.url.removeprefix('http://')} of {variable}")
