"""A server that takes results, and targets that send to it."""

from collections.abc import Iterator

import pytest

from tests.support.result_targets import OpenNamed, targets_at
from tests.support.results_server import ResultsServer, results_server


@pytest.fixture
def server() -> Iterator[ResultsServer]:
    with results_server() as server:
        yield server


@pytest.fixture
def open_named(server: ResultsServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenNamed]:
    with targets_at(server.url, monkeypatch) as opened:
        yield opened
