"""A topic of each test's own on groundwatch's own server."""

from collections.abc import Iterator

import pytest

from launch.pubsub_server.server import PubSubServer
from tests.support.pubsub_topics import OneTopic


@pytest.fixture
def answers(own_server: PubSubServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[OneTopic]:
    """Create a topic and a subscription."""
    with OneTopic(own_server.address, monkeypatch) as one:
        yield one
