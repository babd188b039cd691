"""Connections: the calls that wait for a reply."""

from tests.support.interleaving import run_interleaved
from transforms.grounding.connections import CallsInFlight


def test_calls_of_several_event_loops_are_counted_up_and_down() -> None:
    before = CallsInFlight.count

    def call() -> None:
        for _ in range(500):
            CallsInFlight.add(1)
            CallsInFlight.add(-1)

    run_interleaved(call)
    assert CallsInFlight.count == before
