"""The metrics of a worker at work, beside its ledger."""

import urllib.request

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.support.archives import an_envelope
from tests.support.fault_server import FaultServer
from tests.support.watched import Watched, total, work
from tests.support.wire_faults import Fault, good, status


def away_at_first(number: int) -> Fault:
    """Answer no call of the first messages, and all that come later."""
    return status(503, "UNAVAILABLE") if number < 4 else good


def sums_at(address: str) -> dict[str, int]:
    """What a worker's /metrics say, summed over the labels."""
    with urllib.request.urlopen(f"{address}/metrics") as page:  # noqa: S310 - our own server
        families = list(text_string_to_metric_families(page.read().decode()))
    return {family.name: int(sum(it.value for it in family.samples)) for family in families}


def test_the_metrics_of_messages_agree_with_the_ledger_whatever_else_was_checked(
    watched: Watched, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "groundwatch.launch.watch.open_worker")
    watched.publish(*map(an_envelope, range(5)), an_envelope(3), b"no answer")
    with FaultServer(away_at_first) as checker:
        config = watched.config(checker=checker.address, endpoint=checker.address)
        for _ in range(2):
            with watched.worker(config, health_address=("127.0.0.1", 0)) as worker:
                # It says where it listens as soon as it does.
                address = caplog.messages[-1].split()[0]
                work(worker, lambda: not watched.outstanding)
                sums = sums_at(address)
                worker.finish()
            watched.publish(an_envelope(4), an_envelope(9))
    ledger = total(watched.ledger())
    assert {
        "read": sums["groundwatch_messages_read"],
        "enriched": sums["groundwatch_answers"],
        "failures": sums["groundwatch_failures"],
        "duplicates": sums["groundwatch_duplicates_seen"],
        "sampled_out": sums["groundwatch_sampled_out"],
        "gap": sums["groundwatch_ledger_gap"],
    } == ledger
    assert ledger["read"] == 9
