"""A server that takes results."""

from collections.abc import Iterator

import pytest

from tests.support.results_server import ResultsServer, results_server


@pytest.fixture
def server() -> Iterator[ResultsServer]:
    with results_server() as server:
        yield server
