"""The worker against a real server: every message ends in one place, and is acknowledged then."""

import time
from collections import Counter

import pytest
from msgspec.structs import replace

from groundwatch.launch.watch.worker import WorkerLimits
from groundwatch.transforms.rules.sampling import SamplingRule
from groundwatch.transforms.runtime import clock as clock_module
from tests.support.archives import an_envelope, an_unsupported_envelope
from tests.support.clocks import ManualClock
from tests.support.outputs import alerts_in, failures_in, original_bytes
from tests.support.watched import ALERTS, FAILURES, Watched, total, work


def test_every_message_ends_in_one_place_and_is_acknowledged(watched: Watched) -> None:
    watched.publish(
        *map(an_envelope, range(20)),
        an_unsupported_envelope(20),
        an_unsupported_envelope(21),
        b"no answer",
        an_envelope(3),
    )
    watched.drain(alert_topic=ALERTS, failure_topic=FAILURES)
    assert len(watched.distinct_ids()) == 22
    alerts = watched.published(ALERTS)
    assert Counter(alert["verdict"] for alert in alerts) == {"LOW_GROUNDED": 2}
    assert total(watched.ledger()) == {
        "read": 24,
        "enriched": 22,
        "failures": 1,
        "duplicates": 1,
        "sampled_out": 0,
        "gap": 0,
    }


def test_without_topics_alerts_and_failures_are_files(watched: Watched) -> None:
    watched.publish(an_unsupported_envelope(0), b"no answer")
    watched.drain()
    assert [alert["verdict"] for alert in alerts_in(watched.output)] == ["LOW_GROUNDED"]
    assert [original_bytes(failure) for failure in failures_in(watched.output)] == [b"no answer"]


def test_duplicates_are_counted_once_in_a_batch_across_batches_and_across_restarts(
    watched: Watched,
) -> None:
    for _ in range(3):
        watched.publish(an_envelope(1), an_envelope(2), an_envelope(1))
        watched.drain()
    assert len(watched.record_ids()) == 2
    assert total(watched.ledger())["duplicates"] == 7


@pytest.mark.parametrize(("most", "waits"), [(100, True), (1, False)], ids=["small", "full"])
def test_a_small_batch_lets_messages_gather_and_a_full_one_does_not(
    watched: Watched, most: int, waits: bool
) -> None:
    with watched.worker(limits=WorkerLimits(batch_messages=most)) as worker:
        watched.publish(an_envelope(0))
        work(worker, lambda: worker.batches_done)
        not_before_s = worker._not_before_s
        assert (not_before_s > 0) is waits
        watched.publish(an_envelope(1))
        work(worker, lambda: worker.batches_done > 1)
    assert time.monotonic() >= not_before_s


def test_an_unreadable_message_is_one_failure_however_often_it_is_delivered(
    watched: Watched, clock: ManualClock
) -> None:
    watched.publish(b"no answer", b"no answer")
    watched.server.faults.lost_acks_share = 1.0
    for _ in range(2):
        with watched.worker() as worker:
            work(worker, lambda: total(watched.ledger())["read"] % 2 == 0 and watched.ledger())
            worker.finish()
        watched.end_leases(clock)
    watched.server.faults.lost_acks_share = 0.0
    watched.drain()
    assert len(failures_in(watched.output)) == 2
    assert total(watched.ledger())["gap"] == 0
    assert total(watched.ledger())["duplicates"] >= 2


def test_what_is_left_out_of_a_sample_is_counted(watched: Watched) -> None:
    watched.publish(*map(an_envelope, range(40)), an_envelope(3))
    watched.drain(replace(watched.config(), sampling=SamplingRule(rate=0.5)))
    sums = total(watched.ledger())
    assert (sums["read"], sums["duplicates"], sums["gap"]) == (41, 1, 0)
    assert 0 < sums["sampled_out"] == 40 - len(watched.record_ids())


def test_old_record_ids_are_forgotten_and_young_ones_are_not(
    watched: Watched, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    day_us = 24 * 3_600_000_000
    now_us = clock_module.now_us()
    for day, message in ((0, 1), (1, 2), (2, 3), (3, 1), (3, 3)):
        monkeypatch.setattr(clock_module, "now_us", lambda: now_us + day * day_us)  # noqa: B023
        watched.publish(an_envelope(message))
        watched.drain(dedupe_h=30.0)
        clock.advance(24 * 3_600)
    assert total(watched.ledger())["duplicates"] == 1
    assert Counter(watched.record_ids()).most_common(1)[0][1] == 2


def test_a_clock_that_jumps_ahead_forgets_no_record_id(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_us = clock_module.now_us()
    for days in (0, 400, 0):
        at_us = now_us + days * 24 * 3_600_000_000
        monkeypatch.setattr(clock_module, "now_us", lambda: at_us)  # noqa: B023
        watched.publish(an_envelope(1))
        watched.drain(dedupe_h=30.0)
    assert len(watched.record_ids()) == 1
    assert total(watched.ledger())["duplicates"] == 2
