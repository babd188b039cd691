"""The servers of Pub/Sub that tests run against, and a line that says which of them did."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwatch.launch.engine import engine_database
from groundwatch.transforms import check_grounding
from groundwatch.transforms.grounding import retry_policy
from groundwatch.transforms.runtime.retry_schedule import RetrySchedule
from tests.support.clocks import ManualClock
from tests.support.fake_pubsub.server import FakePubSub, ServerSettings
from tests.support.pubsub_servers import (
    EMPTY_PULL_S,
    GOOGLES,
    OWN,
    GoogleEmulator,
    OwnServer,
    ServerUnderTest,
    find_emulator,
)
from tests.support.pubsub_topics import OneTopic
from tests.support.watched import Watched

_FIXTURE = "pubsub_server"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a contract test against every server there is."""
    if _FIXTURE in metafunc.fixturenames:
        emulator = find_emulator(metafunc.config.getoption("--pubsub-emulator"))
        servers = [OWN, GOOGLES] if emulator else [OWN]
        metafunc.parametrize(_FIXTURE, servers, indirect=True, scope="session")


@pytest.fixture(scope="session")
def pubsub_server(request: pytest.FixtureRequest) -> Iterator[ServerUnderTest]:
    """Serve Pub/Sub for all tests that are run against one server."""
    emulator = find_emulator(request.config.getoption("--pubsub-emulator"))
    if request.param == GOOGLES and emulator:
        with GoogleEmulator(emulator) as server:
            yield server
    else:
        with OwnServer() as server:
            yield server


@pytest.fixture(autouse=True, scope="module")
def short_waits() -> Iterator[None]:
    """Let a module of these tests, and no other, try calls again and give up locks sooner.

    How often a call is tried is still the settings'.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(check_grounding, "_DEFERRED_AFTER_S", 0.2)
        patch.setattr(engine_database, "_LOCK_TIMEOUT_S", 0.5)
        patch.setattr(retry_policy, "LIMITED", RetrySchedule(0.025, 1.0, min_share=0.0))
        patch.setattr(retry_policy, "HOLD", RetrySchedule(0.05, 1.5, min_share=0.5))
        yield


@pytest.fixture
def clock() -> ManualClock:
    """A clock that stands still until it is told to move."""
    return ManualClock()


@pytest.fixture
def own_server(clock: ManualClock) -> Iterator[FakePubSub]:
    """Serve Pub/Sub for one test, which may let it misbehave."""
    with FakePubSub(ServerSettings(empty_pull_s=EMPTY_PULL_S), clock) as server:
        yield server


@pytest.fixture
def answers(own_server: FakePubSub, monkeypatch: pytest.MonkeyPatch) -> Iterator[OneTopic]:
    """Create a topic and a subscription."""
    with OneTopic(own_server.address, monkeypatch) as one:
        yield one


@pytest.fixture
def watched(own_server: FakePubSub, tmp_path: Path) -> Watched:
    """Create a subscription to be watched, and topics for what comes of it."""
    return Watched(own_server, tmp_path)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say which servers ran."""
    passed = [report.nodeid for report in terminalreporter.getreports("passed")]
    ran = {name: sum(f"[{name}" in node for node in passed) for name in (OWN, GOOGLES)}
    if not ran[OWN]:
        return
    option = config.getoption("--pubsub-emulator")
    absent = f"did not run (--pubsub-emulator={option})" if option else "is not on this machine"
    emulator = find_emulator(option)
    googles = f"{ran[GOOGLES]} passed ({emulator})" if emulator else absent
    terminalreporter.write_line(f"Pub/Sub contract: {OWN} {ran[OWN]} passed; {GOOGLES} {googles}")
