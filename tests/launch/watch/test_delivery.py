"""Rows of the outbox to a target: at least once, put off while it is away, bounded."""

import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwatch.launch.engine.journal import Journal
from groundwatch.launch.engine.outbox_rows import Delivered
from groundwatch.launch.targets.target import TargetMisconfigured, TargetUnavailable
from groundwatch.launch.watch.delivery import Delivery, OutboxLimits
from groundwatch.schemas.grounding_result import GroundingResult
from tests.support.clocks import ManualClock
from tests.support.journals import an_alert, commit_batch, open_journal
from tests.support.results import ATarget, a_result
from tests.support.waiting import wait_until

SPACIOUS = OutboxLimits()


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with closing(open_journal(tmp_path)) as journal:
        journal.outbox.add_destination("tool", GroundingResult)
        yield journal


def delivery_to(
    target: ATarget, journal: Journal, clock: ManualClock, limits: OutboxLimits = SPACIOUS
) -> Delivery[GroundingResult]:
    return Delivery(journal, GroundingResult, target, limits, clock)


def commit(journal: Journal, *ids: str) -> None:
    results = tuple(a_result(record_id=each) for each in ids)
    commit_batch(journal, journal.next_number(), results=results)


def test_results_are_kept_once_for_each_destination_and_delivered(journal: Journal) -> None:
    journal.outbox.add_destination("other", GroundingResult)
    commit(journal, "a", "b")
    target = ATarget({"b"})
    delivery_to(target, journal, ManualClock()).step(journal)
    assert target.sent == ["a"]
    assert (journal.outbox.count("tool"), journal.outbox.count("other")) == (0, 2)
    assert journal.outbox.delivered() == {"tool": Delivered(sent=1, refused=1)}


def test_without_a_destination_no_result_is_kept(tmp_path: Path) -> None:
    with closing(open_journal(tmp_path / "other")) as journal:
        commit(journal, "a")
        assert journal.outbox.count("tool") == 0


def test_a_target_that_is_away_is_asked_less_and_less_often_and_loses_nothing(
    journal: Journal, caplog: pytest.LogCaptureFixture
) -> None:
    clock, target = ManualClock(), ATarget()
    delivery = delivery_to(target, journal, clock, OutboxLimits())
    target.error = TargetUnavailable("tool does not answer")
    for second in range(600):
        commit(journal, f"r{second}")
        delivery.step(journal)
        clock.advance(1.0)
    assert target.calls < 20
    assert caplog.messages == ["tool does not answer; its rows are kept, and sent again"]
    target.error = None
    clock.advance(60.0)
    delivery.step(journal)
    assert target.sent == [f"r{second}" for second in range(600)]
    assert caplog.messages[-1] == "tool: rows are delivered again"


def test_the_oldest_row_has_an_age_while_it_waits(journal: Journal) -> None:
    clock, target = ManualClock(), ATarget()
    delivery = delivery_to(target, journal, clock)
    ages = []
    for error in (None, TargetUnavailable("away"), TargetUnavailable("away"), None, None):
        target.error = error
        commit(journal, f"r{len(ages)}")
        delivery.step(journal, at_once=True)
        clock.advance(100.0)
        ages.append(delivery.waiting_for_s)
    assert ages == [0.0, 100.0, 200.0, 0.0, 0.0]


def test_a_target_says_how_long_to_wait(journal: Journal) -> None:
    clock, target = ManualClock(), ATarget()
    delivery = delivery_to(target, journal, clock)
    commit(journal, "a")
    target.error = TargetUnavailable("busy", retry_after_s=120.0)
    for _ in range(3):
        delivery.step(journal)
        clock.advance(59.0)
    assert target.calls == 1
    clock.advance(3.0)
    delivery.step(journal)
    assert target.calls == 2


@given(st.lists(st.integers(0, 300), max_size=12), st.integers(0, 9), st.integers(0, 6_000))
@settings(max_examples=30)
def test_the_rows_that_are_kept_are_the_newest_that_fit(
    sizes: list[int], max_rows: int, max_bytes: int
) -> None:
    with tempfile.TemporaryDirectory() as folder, closing(open_journal(folder)) as journal:
        journal.outbox.add_destination("tool", GroundingResult)
        results = [a_result(record_id="x" * size) for size in sizes]
        commit_batch(journal, 1, results=tuple(results))
        fitting = [len(msgspec.json.encode(each)) for each in results]
        while len(fitting) > max_rows or sum(fitting) > max_bytes:
            fitting.pop(0)
        assert journal.outbox.trim("tool", max_rows, max_bytes) == len(sizes) - len(fitting)
        assert journal.outbox.count("tool") == len(fitting)


def test_a_wrong_key_is_logged_once_and_the_rows_wait(
    journal: Journal, caplog: pytest.LogCaptureFixture
) -> None:
    clock, target = ManualClock(), ATarget()
    delivery = delivery_to(target, journal, clock)
    commit(journal, "a")
    target.error = TargetMisconfigured("the key is not accepted")
    for _ in range(3):
        delivery.step(journal)
        clock.advance(61.0)
    assert len(caplog.messages) == 1
    assert delivery.problem == "the key is not accepted"
    assert journal.outbox.count("tool") == 1


def test_the_oldest_rows_beyond_the_limits_are_dropped_and_counted_but_never_an_alert(
    journal: Journal, caplog: pytest.LogCaptureFixture
) -> None:
    clock, target = ManualClock(), ATarget()
    target.error = TargetUnavailable("away")
    commit(journal, *(f"r{number}" for number in range(10)))
    commit_batch(journal, journal.next_number(), alerts=tuple(an_alert() for _ in range(10)))
    delivery_to(target, journal, clock, OutboxLimits(max_rows=4)).step(journal)
    rows = journal.outbox.rows(GroundingResult, 99, kind="tool")
    assert [row.record_id for _, row in rows] == ["r6", "r7", "r8", "r9"]
    assert journal.outbox.delivered() == {"tool": Delivered(dropped=6)}
    assert journal.outbox.count("alert") == 10
    assert caplog.messages[0].startswith("6 of the oldest rows for tool are dropped")
    size_bytes = len(journal.outbox.rows(GroundingResult, 1, kind="tool")) * 500
    delivery_to(target, journal, clock, OutboxLimits(max_bytes=size_bytes)).step(journal)
    assert journal.outbox.count("tool") == 1


def test_a_defect_of_a_target_ends_nothing_and_quotes_nothing(
    journal: Journal, caplog: pytest.LogCaptureFixture
) -> None:
    clock, target = ManualClock(), ATarget()
    target.error = ValueError("Lamps glow.")
    delivery = delivery_to(target, journal, clock)
    commit(journal, "a")
    delivery.step(journal)
    message = "a bug of groundwatch: ValueError; its rows are kept, and sent again"
    assert caplog.messages == [message]
    target.error = None
    clock.advance(61.0)
    delivery.step(journal)
    assert target.sent == ["a"]


def test_what_a_full_disk_does_not_let_delete_is_sent_once(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, target = ManualClock(), ATarget()
    delivery = delivery_to(target, journal, clock)
    commit(journal, "a")

    def fail(*_: object) -> None:
        raise OSError("database or disk is full")

    with monkeypatch.context() as full:
        full.setattr(journal.outbox, "record_delivered", fail)
        for _ in range(3):
            delivery.step(journal)
            assert delivery.problem == "database or disk is full"
            clock.advance(61.0)
    commit(journal, "b")
    delivery.step(journal)
    assert (target.sent, delivery.problem) == (["a", "b"], None)
    assert journal.outbox.delivered() == {"tool": Delivered(sent=2)}


def test_the_thread_delivers_and_delivers_the_last_rows_at_its_end(journal: Journal) -> None:
    target = ATarget()
    delivery: Delivery[GroundingResult] = Delivery(journal, GroundingResult, target, OutboxLimits())
    delivery.start()
    commit(journal, "a")
    wait_until(lambda: target.sent == ["a"])
    commit(journal, "b")
    delivery.end()
    delivery.join(10.0)
    assert target.sent == ["a", "b"]
