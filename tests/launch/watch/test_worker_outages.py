"""A checker that is away, refuses or hangs: messages are held within bounds, and none is lost."""

import asyncio
import errno
import itertools
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from groundwatch.launch.watch.owned_paths import OwnedPaths
from groundwatch.launch.watch.worker import Worker, WorkerLimits
from groundwatch.pipeline.settings.config import Config
from groundwatch.transforms.grounding.settings import RetrySettings
from groundwatch.transforms.runtime import counters
from tests.support.archives import an_envelope
from tests.support.clocks import ManualClock
from tests.support.fault_server import Changing, FaultServer, always, by_answer
from tests.support.outputs import failures_in, original_bytes
from tests.support.waiting import wait_until
from tests.support.watched import Watched, total, work
from tests.support.wire_faults import UNAVAILABLE, body, good, hang, status

ALONE = "Lamps glow blue at noon."
HANGING = "Lamps hang."


def a_lamp(number: int) -> bytes:
    """An answer that no other has, so that it needs a call of its own."""
    return an_envelope(number, answer=f"Lamp {number} glows.")


def checked_by(watched: Watched, checker: FaultServer, **settings: Any) -> Config:
    return watched.config(checker=checker.address, endpoint=checker.address, **settings)


def test_while_the_checker_is_away_messages_wait_and_do_not_fail(watched: Watched) -> None:
    outage = Changing(UNAVAILABLE["503"])
    watched.publish(*(an_envelope(number) for number in range(5)), b"no answer")
    with FaultServer(always(outage)) as checker:
        config = checked_by(watched, checker)
        with watched.worker(config) as worker:
            work(worker, lambda: worker.waiting == 5)
            work(worker, lambda: watched.outstanding == 5)
            outage.reply = good
            work(worker, lambda: not watched.outstanding)
            worker.finish()
    assert len(watched.record_ids()) == 5
    assert len(failures_in(watched.output)) == 1
    assert total(watched.ledger())["duplicates"] == 0


def test_a_deferred_answer_is_not_a_duplicate_when_it_is_tried_again(watched: Watched) -> None:
    outage = Changing(UNAVAILABLE["503"])
    watched.publish(an_envelope(1), an_envelope(1))
    with FaultServer(always(outage)) as checker:
        config = checked_by(watched, checker)
        with watched.worker(config) as worker:
            work(worker, lambda: worker.waiting >= 1)
        outage.reply = good
        # The next worker has nothing of the first but its folder.
        watched.drain(config)
    assert len(watched.record_ids()) == 1
    assert total(watched.ledger())["duplicates"] == 1


@pytest.mark.parametrize("answer", ["Lamps glow red.", HANGING], ids=["checked", "deferred"])
def test_what_is_durable_is_acknowledged_when_the_folder_can_be_read_again(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    check, fail_at = OwnedPaths.check, iter([True])

    def lose_the_folder_once(self: OwnedPaths) -> None:
        if next(fail_at, False):
            raise OSError(errno.ESTALE, "Stale file handle")
        check(self)

    monkeypatch.setattr(OwnedPaths, "check", lose_the_folder_once)
    outage = Changing(UNAVAILABLE["503"])
    watched.publish(*map(an_envelope, range(3)), an_envelope(9, answer=answer), b"no answer")
    with (
        FaultServer(by_answer({HANGING: outage})) as checker,
        watched.worker(checked_by(watched, checker)) as worker,
    ):
        work(worker, lambda: watched.outstanding == worker.waiting)
        outage.reply = good
        work(worker, lambda: not watched.outstanding)
        worker.finish()
    assert len(watched.record_ids()) == 4
    assert len(failures_in(watched.output)) == 1


def test_an_error_that_comes_at_once_is_not_tried_at_full_speed(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[float] = []

    def lose_the_folder(_: OwnedPaths) -> None:
        tries.append(time.monotonic())
        raise OSError(errno.ESTALE, "Stale file handle")

    monkeypatch.setattr(OwnedPaths, "check", lose_the_folder)
    watched.publish(an_envelope(1))
    with watched.worker() as worker:
        work(worker, lambda: tries and time.monotonic() >= tries[0] + 2.0)
    assert len(tries) < 12


def test_what_is_held_is_bounded_while_nothing_can_be_checked(watched: Watched) -> None:
    watched.publish(*map(an_envelope, range(300)))
    with FaultServer(always(status(503, "Service Unavailable"))) as checker:
        config = checked_by(watched, checker)
        limits = WorkerLimits(batch_messages=20, outstanding_messages=60)
        with watched.worker(config, limits=limits) as worker:
            work(worker, lambda: worker.waiting == 60)
            for _ in range(5):
                worker.step()
            stats = worker.subscription.stats()
            assert stats.outstanding == 60
            assert worker.waiting == 60
            # The calls of the outage are counted in it, and not after it.
            calls = counters.CALLS.value
            work(worker, lambda: counters.CALLS.value > calls)
    assert watched.outstanding == 300
    assert total(watched.ledger())["read"] == 0


def test_an_answer_that_alone_is_refused_is_a_failure_and_stops_nobody(watched: Watched) -> None:
    watched.publish(an_envelope(0, answer=ALONE), *map(a_lamp, range(1, 61)))
    with FaultServer(by_answer({ALONE: status(403, "Forbidden")})) as checker:
        watched.drain(checked_by(watched, checker))
    assert len(watched.record_ids()) == 60
    (failure,) = failures_in(watched.output)
    assert (failure["error_class"], failure["retryable"]) == ("AnswerRefused", True)
    assert "a firewall or proxy" in failure["error"]
    assert "discoveryengine" not in failure["error"]
    assert total(watched.ledger())["gap"] == 0


class Release:
    """A check that hangs until it is released."""

    def __init__(self) -> None:
        self._is_released = threading.Event()

    def now(self) -> None:
        self._is_released.set()

    async def __call__(self, exchange: Any) -> bool:
        await asyncio.to_thread(self._is_released.wait, 20)
        return await good(exchange)


def test_a_check_that_hangs_beyond_the_lease_is_delivered_again_and_done_once(
    watched: Watched, clock: ManualClock
) -> None:
    watched.publish(an_envelope(1, answer=HANGING), an_envelope(2))
    release = Release()
    with FaultServer(by_answer({HANGING: release})) as checker:
        config = checked_by(watched, checker, retries=RetrySettings(timeout_s=20.0))
        with watched.worker(config) as worker, ThreadPoolExecutor(1) as beside:
            step = beside.submit(work, worker, lambda: not watched.outstanding)
            wait_until(lambda: checker.requests >= 2)
            # The machine stood still, so that no lease was prolonged.
            clock.advance(61)
            wait_until(lambda: worker.subscription.stats().redelivered == 2)
            release.now()
            step.result(60)
            worker.finish()
    assert len(watched.record_ids()) == 2
    assert total(watched.ledger())["duplicates"] == 0


@contextmanager
def waiting_alone(watched: Watched) -> Iterator[tuple[Worker, FaultServer]]:
    """Run a worker whose only answer gets no reply, from when it waits for another attempt."""
    watched.publish(an_envelope(0, answer=ALONE))
    away = {ALONE: status(503, "Service Unavailable")}
    retries = RetrySettings(timeout_s=2.0, max_answer_attempts=2)
    with (
        FaultServer(by_answer(away)) as checker,
        watched.worker(checked_by(watched, checker, retries=retries)) as worker,
    ):
        work(worker, lambda: worker.waiting == 1)
        yield worker, checker


def test_an_answer_that_waits_for_another_attempt_does_not_stop_no_data_detection(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    with waiting_alone(watched) as (worker, checker):
        backlogs: list[int] = []
        monkeypatch.setattr(worker.monitor, "record_backlog", backlogs.append)
        arrivals = []
        record = worker.monitor.record_arrivals

        def record_arrivals(messages: int, engines: Any, now_us: int) -> None:
            arrivals.append((messages, dict(engines)))
            record(messages, engines, now_us)

        monkeypatch.setattr(worker.monitor, "record_arrivals", record_arrivals)
        requests = checker.requests
        work(worker, lambda: checker.requests > requests + 3)
    # This is not a backlog, and an attempt does not count as an arrival.
    assert backlogs == []
    assert not any(messages for messages, _ in arrivals)


def test_an_answer_that_alone_cannot_be_checked_becomes_a_failure_after_some_attempts(
    watched: Watched,
) -> None:
    with waiting_alone(watched) as (worker, checker):
        # While nothing else is checked it may be an outage.
        requests = checker.requests
        work(worker, lambda: checker.requests > requests + 3)
        assert worker.waiting == 1
        numbers = itertools.count(1)

        def is_over() -> bool:
            watched.publish(a_lamp(next(numbers)))
            return not worker.waiting

        work(worker, is_over)
        work(worker, lambda: not watched.outstanding)
        worker.finish()
    (failure,) = failures_in(watched.output)
    assert (failure["error_class"], failure["retryable"]) == ("Unavailable", True)
    assert json.loads(original_bytes(failure))["answer"] == ALONE
    assert total(watched.ledger())["gap"] == 0
    assert failure["attempts"] >= 5


@pytest.mark.parametrize("fault", ["503", "hang", "403", "garbage"])
def test_answers_that_never_get_a_reply_become_failures_and_the_others_records(
    watched: Watched, fault: str
) -> None:
    count = 20
    failing = {f"Lamp {number} glows." for number in range(18)}
    faults = {
        "503": status(503, "Service Unavailable"),
        "hang": hang,
        "403": status(403, "Forbidden"),
        "garbage": body(b"<html>"),
    }
    watched.publish(*map(a_lamp, range(count)))
    with FaultServer(by_answer(dict.fromkeys(failing, faults[fault]))) as checker:
        retries = RetrySettings(timeout_s=0.3, max_answer_attempts=2)
        config = checked_by(watched, checker, retries=retries, max_in_flight=16)
        with watched.worker(config) as worker:
            work(worker, lambda: watched.outstanding <= len(failing), 60)
            # Traffic goes on.
            numbers = itertools.count(count)

            def is_over() -> bool:
                watched.publish(a_lamp(next(numbers)))
                return not worker.waiting

            work(worker, is_over, 120)
            work(worker, lambda: not watched.outstanding)
            worker.finish()
    assert len(failures_in(watched.output)) == len(failing)
    ids = watched.record_ids()
    assert len(ids) == len(set(ids)) == next(numbers) - len(failing)
    sums = total(watched.ledger())
    assert (sums["gap"], sums["duplicates"]) == (0, 0)
