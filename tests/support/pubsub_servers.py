"""The servers that tests of Pub/Sub run against: groundwatch's own, and Google's emulator."""

import shutil
import socket
import subprocess
from pathlib import Path
from typing import Protocol, Self

from tests.support.clocks import ManualClock
from tests.support.fake_pubsub.server import FakePubSub, ServerSettings
from tests.support.waiting import wait_until

OWN = "groundwatch's server"
GOOGLES = "Google's emulator"
EMPTY_PULL_S = 0.2
_IN_THE_SDK = "platform/pubsub-emulator/bin/cloud-pubsub-emulator"
_START_WITHIN_S = 120.0
_STOP_WITHIN_S = 60.0


def find_emulator(path: str | None) -> Path | None:
    """Find Google's emulator.

    Args:
      path: where it is; "none" for nowhere; None to look on PATH, and beside a gcloud that is
        there.
    """
    if path is not None:
        return None if path == "none" else Path(path)
    if found := shutil.which("cloud-pubsub-emulator"):
        return Path(found)
    if gcloud := shutil.which("gcloud"):
        beside = Path(gcloud).resolve().parents[1] / _IN_THE_SDK
        return beside if beside.exists() else None
    return None


class ServerUnderTest(Protocol):
    """What a contract test needs to know of a server."""

    address: str

    def let_pass(self, seconds: float) -> None:
        """Let time pass, where the test holds the clock; elsewhere it passes by itself."""


class OwnServer:
    """groundwatch's server, whose clock stands still by default."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self._server = FakePubSub(ServerSettings(empty_pull_s=EMPTY_PULL_S), self.clock)

    def __enter__(self) -> Self:
        self.address = self._server.__enter__().address
        return self

    def __exit__(self, *_: object) -> None:
        self._server.__exit__()

    def let_pass(self, seconds: float) -> None:
        """Let time pass at once."""
        self.clock.advance(seconds)


class GoogleEmulator:
    """Google's emulator, a process of its own."""

    def __init__(self, path: Path) -> None:
        self.address = f"127.0.0.1:{free_port()}"
        self._path = path

    def __enter__(self) -> Self:
        host, port = self.address.split(":")
        self._process = subprocess.Popen(  # noqa: S603 - the path is the tester's own
            [self._path, f"--host={host}", f"--port={port}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_until(self._listens, _START_WITHIN_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(_STOP_WITHIN_S)

    def let_pass(self, seconds: float) -> None:
        """Leave time alone."""

    def _listens(self) -> bool:
        assert self._process.poll() is None, f"{self._path} has ended"
        host, port = self.address.split(":")
        with socket.socket() as probe:
            return probe.connect_ex((host, int(port))) == 0


def free_port() -> int:
    """Find a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
