"""Messages that hold several answers, in the worker."""

import itertools
import json

import pytest

from groundwatch.pipeline.sources.read_batch import ReadBatch
from groundwatch.transforms.formats.answer_elements import MAX_ANSWERS, MAX_COPIED_BYTES
from groundwatch.transforms.grounding.settings import RetrySettings
from tests.support.archives import an_envelope
from tests.support.clocks import ManualClock
from tests.support.fault_server import FaultServer, by_answer
from tests.support.outputs import failures_in, original_bytes
from tests.support.watched import Watched, total, work
from tests.support.wire_faults import status

ALONE, BESIDE = "Lamps glow blue at noon.", "Lamps glow green at noon."


def several(*envelopes: bytes) -> bytes:
    return b"[" + b",".join(envelopes) + b"]"


def test_every_answer_of_a_message_ends_in_one_place(watched: Watched) -> None:
    watched.publish(
        several(*map(an_envelope, range(5))),
        several(an_envelope(5), b"7", b"8", an_envelope(3)),
        an_envelope(6),
    )
    watched.drain()
    assert len(watched.distinct_ids()) == 7
    assert [original_bytes(failure) for failure in failures_in(watched.output)] == [b"7", b"8"]
    sums = total(watched.ledger())
    assert (sums["read"], sums["duplicates"], sums["gap"]) == (10, 1, 0)


def test_answers_that_cannot_be_read_are_failures_once_each_however_often_they_are_delivered(
    watched: Watched, clock: ManualClock
) -> None:
    watched.publish(several(an_envelope(1), b"7", b"8"))
    watched.server.faults.lost_acks_share = 1.0
    with watched.worker() as worker:
        work(worker, lambda: total(watched.ledger())["read"] == 3 if watched.ledger() else False)
        worker.finish()
    watched.end_leases(clock)
    watched.server.faults.lost_acks_share = 0.0
    watched.drain()
    assert len(failures_in(watched.output)) == 2
    sums = total(watched.ledger())
    assert (sums["read"], sums["duplicates"], sums["gap"]) == (6, 3, 0)


def test_messages_that_hold_too_many_answers_together_are_processed_in_parts(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(ReadBatch, "most_answers", 20)
    for number in range(9):
        watched.publish(several(an_envelope(number), *[b"{}"] * 8))
    watched.drain()
    assert len(watched.record_ids()) == 9
    assert len(failures_in(watched.output)) == 72
    assert total(watched.ledger()) | {"read": 0} == {
        **dict.fromkeys(("read", "duplicates", "sampled_out", "gap"), 0),
        "enriched": 9,
        "failures": 72,
    }
    assert "bug" not in caplog.text


def test_messages_whose_answers_repeat_much_are_processed_in_parts(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ReadBatch, "most_answers", 20)
    notes = {f"note_{number}": "x" * 1_000 for number in range(8)}
    for number in range(4):
        watched.publish(several(an_envelope(number), b"{}", b"{}"), **notes)
    with watched.worker() as worker:
        work(worker, lambda: not watched.outstanding)
        assert worker.batches_done == 4
        worker.finish()
    assert len(watched.record_ids()) == 4
    assert len(failures_in(watched.output)) == 8


def test_a_message_alone_never_holds_too_many_answers() -> None:
    assert ReadBatch.most_answers >= MAX_ANSWERS + MAX_COPIED_BYTES // 2_000


def test_a_message_is_acknowledged_when_all_of_its_answers_are_done(watched: Watched) -> None:
    watched.publish(several(an_envelope(1), an_envelope(2, answer=ALONE), an_envelope(3)))
    away = {ALONE: status(503, "Service Unavailable")}
    with FaultServer(by_answer(away)) as checker:
        config = watched.config(checker=checker.address, endpoint=checker.address)
        with watched.worker(config) as worker:
            work(worker, lambda: worker.waiting == 1)
            assert watched.outstanding == 1
            away.clear()
            work(worker, lambda: not watched.outstanding)
            worker.finish()
    assert len(watched.distinct_ids()) == 3
    sums = total(watched.ledger())
    assert (sums["enriched"], sums["failures"], sums["gap"]) == (3, 0, 0)
    assert (sums["read"], sums["duplicates"]) == (3, 0)


def test_answers_that_alone_cannot_be_checked_become_failures_of_their_own(
    watched: Watched,
) -> None:
    watched.publish(
        several(an_envelope(0, answer=ALONE), an_envelope(1, answer=BESIDE), an_envelope(2))
    )
    away = dict.fromkeys([ALONE, BESIDE], status(503, "Service Unavailable"))
    retries = RetrySettings(timeout_s=2.0, max_answer_attempts=2)
    numbers = itertools.count(3)
    with FaultServer(by_answer(away)) as checker:
        address = checker.address
        config = watched.config(checker=address, endpoint=address, retries=retries)
        with watched.worker(config) as worker:

            def is_over() -> bool:
                number = next(numbers)
                watched.publish(an_envelope(number, answer=f"Lamp {number} glows."))
                return not worker.waiting

            work(worker, lambda: worker.waiting)
            work(worker, is_over, 60)
            work(worker, lambda: not watched.outstanding)
            worker.finish()
    failures = failures_in(watched.output)
    answers = {json.loads(original_bytes(failure))["answer"] for failure in failures}
    assert answers == {ALONE, BESIDE}
    assert len({failure["record_id"] for failure in failures}) == 2
    sums = total(watched.ledger())
    assert (sums["duplicates"], sums["gap"]) == (0, 0)
    ids = watched.record_ids()
    assert len(set(ids)) == len(ids) == next(numbers) - 2
