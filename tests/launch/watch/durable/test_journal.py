"""The worker's state over restarts, crashes and full disks."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from launch.watch.durable import journal as journal_module
from launch.watch.durable import outbox_rows
from launch.watch.durable.journal import Journal, Publication
from msgspec.structs import replace

from schemas.alert import Alert
from schemas.failure import Failure
from schemas.quantities import HOUR_US
from schemas.summary import RunCounts
from tests.support.builders import NOON_US, a_failure, a_message
from tests.support.journals import (
    HOUR_OF_NOON_US,
    a_part,
    an_account,
    an_alert,
    commit_batch,
)
from transforms.rules.rate_counts import RateCounts


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "work" / "journal.sqlite")


@pytest.fixture
def journal(path: str) -> Iterator[Journal]:
    with closing(Journal(path)) as journal:
        yield journal


def counts_of(start_us: int, answers: int) -> RateCounts:
    return RateCounts(start_us=start_us, answers=answers, skip_reasons={"NO_FACTS": answers})


def test_a_journal_that_has_just_been_made_remembers_nothing(journal: Journal) -> None:
    assert journal.next_number() == 1
    assert journal.waiting_batches() == []
    assert journal.ledger() == []
    assert journal.totals() == RunCounts()
    assert journal.alerts_raised() == 0
    assert journal.outbox.rows(Alert, 10) == []
    assert journal.outbox.rows(Failure, 10) == []
    assert journal.rates(0) == {}


def test_all_that_came_of_a_batch_outlives_the_process(journal: Journal, path: str) -> None:
    rates = counts_of(NOON_US, 2)
    commit_batch(journal, alerts=(an_alert(),), failures=(a_failure(),), rates=(("shop", rates),))
    # Another connection sees what is durable, and nothing else.
    with closing(Journal(path)) as after:
        assert after.next_number() == 2
        assert after.waiting_batches() == [(1, (a_part(),))]
        assert after.ledger() == [an_account()]
        assert after.totals() == RunCounts(read=2, verdicts={"GROUNDED": 2})
        assert after.alerts_raised() == 1
        assert [alert for _, alert in after.outbox.rows(Alert, 10)] == [an_alert()]
        assert [failure for _, failure in after.outbox.rows(Failure, 10)] == [a_failure()]
        assert after.rates(0) == {"shop": [rates]}


def test_batches_of_an_hour_are_added_up_and_hours_are_kept_apart(journal: Journal) -> None:
    commit_batch(journal, 1)
    commit_batch(journal, 2, account=an_account(first_batch=2, duplicates=1))
    later_us = HOUR_OF_NOON_US + 3_600_000_000
    commit_batch(journal, 3, account=an_account(first_batch=3, hour_us=later_us))
    assert journal.ledger() == [
        an_account(read=4, enriched=4, duplicates=1),
        an_account(first_batch=3, hour_us=later_us),
    ]
    assert [account.gap for account in journal.ledger()] == [-1, 0]
    assert journal.totals().read == 6


def test_rates_are_added_up_by_engine_and_moment(journal: Journal) -> None:
    rates = (
        ("shop", counts_of(NOON_US, 2)),
        (None, counts_of(NOON_US, 3)),
        ("", counts_of(NOON_US, 5)),
        ("shop", counts_of(NOON_US, 7)),
        ("shop", counts_of(NOON_US - 1, 11)),
    )
    commit_batch(journal, rates=rates)
    assert journal.rates(0) == {
        "shop": [counts_of(NOON_US - 1, 11), counts_of(NOON_US, 9)],
        None: [counts_of(NOON_US, 3)],
        "": [counts_of(NOON_US, 5)],
    }
    assert list(journal.rates(NOON_US)["shop"]) == [counts_of(NOON_US, 9)]
    journal.delete_rates("shop", NOON_US)
    assert journal.rates(0)["shop"] == [counts_of(NOON_US, 9)]


def test_what_has_been_announced_is_forgotten_and_the_rest_stays_in_order(
    journal: Journal,
) -> None:
    alerts = tuple(an_alert(record_id=f"{number:064d}") for number in range(5))
    commit_batch(journal, alerts=alerts, failures=(a_failure(),))
    first, second, *_ = journal.outbox.rows(Alert, 3)
    journal.delete_from_outbox([first[0], second[0]])
    assert [alert for _, alert in journal.outbox.rows(Alert, 10)] == list(alerts[2:])
    assert len(journal.outbox.rows(Failure, 10)) == 1
    assert (journal.outbox.count("alert"), journal.outbox.count("failure")) == (3, 1)
    assert journal.alerts_raised() == 5


def test_ids_in_the_outbox_are_never_used_again(journal: Journal, path: str) -> None:
    journal.raise_alerts([an_alert(), an_alert()])
    ids = [identity for identity, _ in journal.outbox.rows(Alert, 10)]
    journal.delete_from_outbox(ids)
    journal.close()
    with closing(Journal(path)) as after:
        after.raise_alerts([an_alert()])
        assert [identity > max(ids) for identity, _ in after.outbox.rows(Alert, 10)] == [True]


def test_only_so_many_bytes_are_taken_from_the_outbox_at_once_but_always_one_row(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox_rows, "_MAX_BYTES", 10_000)
    failures = tuple(
        a_failure(message=a_message(payload=b"x" * size)) for size in (20_000, 3_000, 3_000, 3_000)
    )
    commit_batch(journal, failures=failures)
    taken = []
    while rows := journal.outbox.rows(Failure, 10):
        taken.append(len(rows))
        journal.delete_from_outbox(identity for identity, _ in rows)
    assert taken == [1, 2, 1]


@settings(deadline=None, max_examples=20)
@given(
    failed=st.lists(st.integers(0, 3), min_size=2, max_size=8).filter(any),
    time_us=st.integers(-HOUR_US, 9 * HOUR_US),
)
def test_a_duplicate_failure_is_taken_from_the_hour_after_it(
    failed: list[int], time_us: int
) -> None:
    failure = a_failure(last_failed_at_us=HOUR_OF_NOON_US + time_us)
    with TemporaryDirectory() as folder, closing(Journal(f"{folder}/journal.sqlite")) as journal:
        for number, failures in enumerate(failed):
            hour_us = HOUR_OF_NOON_US + number * HOUR_US
            account = an_account(hour_us=hour_us, first_batch=number + 1, failures=failures)
            commit_batch(journal, number + 1, account)
        before = journal.ledger()
        journal.delete_from_outbox([], [failure])
        counted = [hour for hour in before if hour.failures]
        ended = (h for h in counted if h.hour_us + HOUR_US > failure.last_failed_at_us)
        hour = next(ended, counted[-1])
        less = replace(hour, failures=hour.failures - 1, duplicates=1)
        assert journal.ledger() == [less if each == hour else each for each in before]
        assert journal.totals().duplicates == 1


def test_a_duplicate_failure_does_not_read_the_whole_ledger(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit_batch(journal, 1, an_account(failures=2), failures=(a_failure(), a_failure()))
    monkeypatch.setattr(journal, "ledger", None)
    rows = journal.outbox.rows(Failure, 10)
    journal.delete_from_outbox([number for number, _ in rows], [row for _, row in rows])
    assert journal.outbox.rows(Failure, 10) == []
    assert journal.totals().duplicates == 2


def test_notes_are_kept_with_the_alerts_they_come_with(journal: Journal, path: str) -> None:
    journal.raise_alerts([an_alert()], {"episodes": an_account()})
    journal.raise_alerts([], {"episodes": an_account(read=3)})
    with closing(Journal(path)) as after:
        assert after.note("episodes", type(an_account())) == an_account(read=3)
        assert after.alerts_raised() == 1


def test_a_publication_holds_what_waited_when_it_began_and_stays_until_it_ends(
    journal: Journal, path: str
) -> None:
    for number in (1, 2):
        commit_batch(journal, number, alerts=(an_alert(),))
    begun = journal.begin_publication(file_bytes=7, with_payload=True)
    assert begun == Publication(last_batch=2, last_in_outbox=2, file_bytes=7)
    commit_batch(journal, 3, alerts=(an_alert(),))
    with closing(Journal(path)) as after:
        assert after.publication() == begun
        assert len(after.outbox.rows(Alert, 9, begun.last_in_outbox)) == 2
        after.end_publication(begun)
        assert after.publication() is None
        assert [number for number, _ in after.waiting_batches()] == [3]
        assert after.next_number() == 4


def test_nothing_is_published_where_nothing_waits(journal: Journal) -> None:
    assert journal.begin_publication(file_bytes=7, with_payload=True) is None
    assert journal.publication() is None


def test_a_journal_stays_with_its_run(journal: Journal, path: str) -> None:
    journal.assign_run("r1")
    with closing(Journal(path)) as after:
        after.assign_run("r1")
        with pytest.raises(OSError, match=r"belongs to the run 'r1', and this is 'r2'; give --run"):
            after.assign_run("r2")


class FullDisk:
    """A connection whose disk has no room for one kind of statement, once."""

    def __init__(self, connection: sqlite3.Connection, statement: str) -> None:
        self._connection = connection
        self._statement = statement
        self._is_full = True

    def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
        if self._is_full and statement.startswith(self._statement):
            self._is_full = False
            raise sqlite3.OperationalError("database or disk is full")
        return self._connection.execute(statement, *values)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


@pytest.mark.parametrize(
    "statement", ["BEGIN", "INSERT INTO batches", "INSERT INTO outbox", "COMMIT"]
)
def test_a_full_disk_leaves_nothing_of_a_batch_and_the_next_try_all(
    journal: Journal, path: str, statement: str
) -> None:
    database = journal._database
    database._connection = FullDisk(database._connection, statement)  # type: ignore[assignment]
    with pytest.raises(OSError, match=r"cannot write .*journal.sqlite: .*full"):
        commit_batch(journal, alerts=(an_alert(),))
    with closing(Journal(path)) as beside:
        assert (beside.next_number(), beside.totals(), beside.outbox.rows(Alert, 9)) == (
            1,
            RunCounts(),
            [],
        )
    commit_batch(journal, alerts=(an_alert(),))
    with closing(Journal(path)) as beside:
        assert (beside.next_number(), len(beside.outbox.rows(Alert, 9))) == (2, 1)


def test_another_file_is_refused_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_bytes(b"lamps " * 1_000)
    with pytest.raises(OSError, match=rf"cannot open {path}: file is not a database"):
        Journal(str(path))


def test_engines_without_number_are_counted_together(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "MAX_ENGINES", 3)
    for number in range(1, 8):
        rates = ((f"engine-{number}", counts_of(NOON_US, 1)),)
        commit_batch(journal, number, rates=rates)
    counted = {engine: counts[0].answers for engine, counts in journal.rates(0).items()}
    assert counted == {"engine-1": 1, "engine-2": 1, "engine-3": 1, "(other engines)": 4}
    # What is not counted any more makes room.
    journal.delete_rates("engine-1", NOON_US + 1)
    journal.delete_rates("(other engines)", NOON_US + 1)
    commit_batch(journal, 8, rates=(("engine-8", counts_of(NOON_US, 1)),))
    assert "engine-8" in journal.rates(0)
