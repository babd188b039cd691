"""groundwatch's own server with a clock and a topic of each test's own."""

from collections.abc import Iterator

import pytest

from launch.pubsub_server.server import PubSubServer, ServerSettings
from tests.support.clocks import ManualClock
from tests.support.pubsub_servers import EMPTY_PULL_S
from tests.support.pubsub_topics import OneTopic


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def server(clock: ManualClock) -> Iterator[PubSubServer]:
    with PubSubServer(ServerSettings(empty_pull_s=EMPTY_PULL_S), clock) as serving:
        yield serving


@pytest.fixture
def answers(server: PubSubServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[OneTopic]:
    with OneTopic(server.address, monkeypatch) as one:
        yield one
