"""The state of a run or worker over restarts, crashes and full disks."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from groundwatch.launch.engine import journal as journal_module
from groundwatch.launch.engine import outbox_rows, statements
from groundwatch.launch.engine.journal import Journal, LedgerHour, Unaccounted
from groundwatch.pipeline.sinks.outcomes import DeferredAnswer
from groundwatch.schemas.alert import Alert
from groundwatch.schemas.failure import Failure
from groundwatch.schemas.quantities import DAY_US, HOUR_US
from groundwatch.schemas.summary import RunCounts
from groundwatch.transforms.persistence.seen_ids import SeenIds
from groundwatch.transforms.rules.rate_counts import RateCounts
from groundwatch.transforms.runtime import clock
from tests.support.builders import NOON_US, RECORD_ID, a_failure, a_message
from tests.support.journals import an_account, an_alert, commit_batch, open_journal, read_journal


@pytest.fixture(autouse=True)
def _noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now_us", lambda: NOON_US)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with closing(open_journal(tmp_path)) as journal:
        yield journal


def counts_of(start_us: int, answers: int) -> RateCounts:
    return RateCounts(start_us=start_us, answers=answers, skip_reasons={"NO_FACTS": answers})


def test_all_that_came_of_a_batch_outlives_the_process(journal: Journal, tmp_path: Path) -> None:
    rates = counts_of(NOON_US, 2)
    commit_batch(journal, alerts=(an_alert(),), failures=(a_failure(),), rates=(("shop", rates),))
    # Another connection sees what is durable, and nothing else.
    with closing(read_journal(tmp_path)) as after:
        assert after.next_number() == 2
        assert after.waiting() == {"enriched": (2, 1, NOON_US)}
        assert after.ledger() == [an_account(read=3, failures=1)]
        assert after.totals().read == 3
        assert sum(after.totals().failures_by_error.values()) == 1
        assert after.alerts_raised() == 1
        assert [alert for _, alert in after.outbox.rows(Alert, 10)] == [an_alert()]
        assert [failure for _, failure in after.outbox.rows(Failure, 10)] == [a_failure()]
        assert after.rates(0) == {"shop": [rates]}


def test_rows_without_a_topic_wait_for_files(tmp_path: Path) -> None:
    with closing(open_journal(tmp_path, topics=[])) as journal:
        commit_batch(journal, alerts=(an_alert(), an_alert()), failures=(a_failure(),))
        journal.raise_alerts([an_alert()])
        waiting = {kind: each.rows for kind, each in journal.waiting().items()}
        assert waiting == {"enriched": 2, "alerts": 3, "failures": 1}
        assert (journal.outbox.count("alert"), journal.outbox.count("failure")) == (0, 0)


def test_batches_of_an_hour_are_added_up_and_hours_are_kept_apart(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def commit_at(now_us: int, number: int, **counts: int) -> None:
        monkeypatch.setattr(clock, "now_us", lambda: now_us)
        commit_batch(journal, number, counts=counts)

    commit_at(NOON_US, 1)
    commit_at(NOON_US + HOUR_US - 1, 2, duplicates=1)
    commit_at(NOON_US + HOUR_US, 3)
    assert journal.ledger() == [
        an_account(hour_us=NOON_US, first_batch=1, read=5, enriched=4, duplicates=1),
        an_account(hour_us=NOON_US + HOUR_US, first_batch=3, read=2, enriched=2),
    ]
    assert journal.totals().read == 7


@pytest.mark.parametrize("read", [1, 3], ids=["one ended twice", "one ended nowhere"])
def test_counts_that_do_not_add_up_are_not_committed(journal: Journal, read: int) -> None:
    with pytest.raises(Unaccounted, match=r"of \d messages ended nowhere"):
        commit_batch(journal, counts={"read": read})
    assert journal.waiting() == {}
    assert journal.next_number() == 1


def test_an_error_of_the_source_leaves_nothing_of_a_batch(journal: Journal) -> None:
    def refuse() -> None:
        raise OSError("another process has taken over")

    with pytest.raises(OSError, match="taken over"):
        commit_batch(journal, advance=refuse)
    assert (journal.waiting(), journal.ledger(), journal.next_number()) == ({}, [], 1)


def test_a_deferred_answer_is_no_duplicate_of_itself(journal: Journal) -> None:
    other = "ab" * 32
    with closing(SeenIds(journal.database.path)) as seen:
        seen.start_batch(1, is_retry=False)
        seen.claim([RECORD_ID, other])
        deferred = DeferredAnswer(record_id=RECORD_ID, engine=None, place="1")
        commit_batch(journal, deferred=(deferred,))
        assert seen.claim([RECORD_ID, other]) == [True, False]


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


def test_rates_that_2_1_0_counted_are_added_to(journal: Journal) -> None:
    kept = {"start_us": NOON_US, "answers": 4, "low_grounded": 1, "skip_reasons": {"NO_FACTS": 4}}
    of_two_checkers = {"passed": 1, "audited": 2, "missed": 1}
    content = msgspec.json.encode(kept | of_two_checkers)
    journal.database.write(statements.PUT_RATE, b"=shop", NOON_US, content)
    commit_batch(journal, rates=(("shop", counts_of(NOON_US, 2)),))
    assert journal.rates(0) == {"shop": [replace(counts_of(NOON_US, 6), low_grounded=1)]}


def test_what_has_been_announced_is_forgotten_and_the_rest_stays_in_order(journal: Journal) -> None:
    alerts = tuple(an_alert(record_id=f"{number:064d}") for number in range(5))
    commit_batch(journal, alerts=alerts, failures=(a_failure(),))
    first, second, *_ = journal.outbox.rows(Alert, 3)
    journal.outbox.delete([first[0], second[0]])
    assert [alert for _, alert in journal.outbox.rows(Alert, 10)] == list(alerts[2:])
    assert len(journal.outbox.rows(Failure, 10)) == 1
    assert (journal.outbox.count("alert"), journal.outbox.count("failure")) == (3, 1)
    assert journal.alerts_raised() == 5


def test_ids_in_the_outbox_are_never_used_again(journal: Journal, tmp_path: Path) -> None:
    journal.raise_alerts([an_alert(), an_alert()])
    ids = [identity for identity, _ in journal.outbox.rows(Alert, 10)]
    journal.outbox.delete(ids)
    journal.close()
    with closing(open_journal(tmp_path)) as after:
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
        journal.outbox.delete(identity for identity, _ in rows)
    assert taken == [1, 2, 1]


def test_notes_are_kept_with_the_alerts_they_come_with(journal: Journal, tmp_path: Path) -> None:
    journal.raise_alerts([an_alert()], {"episodes": an_account()})
    journal.raise_alerts([], {"episodes": an_account(read=3)})
    with closing(read_journal(tmp_path)) as after:
        assert after.database.note("episodes", LedgerHour) == an_account(read=3)
        assert after.alerts_raised() == 1


def test_ids_are_kept_while_messages_or_batches_are_young(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The batch of each day, the day in which its messages were published, and the clock's.
    for number, published, committed in ((1, 0, 0), (2, 0, 9), (3, 8, 1), (4, 9, 9)):
        monkeypatch.setattr(clock, "now_us", lambda: NOON_US + committed * DAY_US)  # noqa: B023
        message = a_message(publish_time_us=NOON_US + published * DAY_US)
        commit_batch(journal, number, messages=[message])
    assert kept_by(journal, 20 * DAY_US, 4) == [1, 2, 3, 4]
    assert kept_by(journal, 2 * DAY_US, 4) == [2, 3, 4]


def test_a_batch_that_a_wrong_clock_has_committed_does_not_keep_the_ids_of_others(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, committed in enumerate((0, 400, 2, 3, 4, 5), 1):
        monkeypatch.setattr(clock, "now_us", lambda: NOON_US + committed * DAY_US)  # noqa: B023
        message = a_message(publish_time_us=NOON_US + (number - 1) * DAY_US)
        commit_batch(journal, number, messages=[message])
    assert kept_by(journal, 2 * DAY_US, 6) == [2, 4, 5, 6]


def kept_by(journal: Journal, window_us: int, batches: int) -> list[int]:
    """The batches of which the claimed record ids are kept."""
    ids = [f"{number:02x}" * 32 for number in range(1, batches + 1)]
    with closing(SeenIds(journal.database.path)) as seen:
        for number, record_id in enumerate(ids, 1):
            seen.claim([record_id], number)
        journal.delete_old_batches(window_us)
        are_new = seen.claim(ids, batches + 1)
        seen.start_batch(batches + 1, is_retry=True)
    return [number for number, is_new in enumerate(are_new, 1) if not is_new]


class FullDisk:
    """A connection whose disk has no room for one kind of statement, once."""

    def __init__(self, connection: sqlite3.Connection, statement: str) -> None:
        self._connection = connection
        self._statement = statement
        self._is_full = True

    def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
        if self._is_full and statement.startswith(self._statement):
            self._is_full = False
            full = sqlite3.OperationalError("database or disk is full")
            full.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise full
        return self._connection.execute(statement, *values)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


@pytest.mark.parametrize(
    "statement",
    [
        "BEGIN",
        "INSERT OR REPLACE INTO batches",
        "\nINSERT INTO chunks",
        "INSERT INTO outbox",
        "COMMIT",
    ],
)
def test_a_full_disk_leaves_nothing_of_a_batch_and_the_next_try_all(
    journal: Journal, tmp_path: Path, statement: str
) -> None:
    database = journal.database
    database._connection = FullDisk(database._connection, statement)  # type: ignore[assignment]
    with pytest.raises(OSError, match=r"cannot write .*run.sqlite: .*full"):
        commit_batch(journal, alerts=(an_alert(),))
    with closing(read_journal(tmp_path)) as beside:
        assert (beside.next_number(), beside.totals(), beside.outbox.rows(Alert, 9)) == (
            1,
            RunCounts(),
            [],
        )
    commit_batch(journal, alerts=(an_alert(),))
    with closing(read_journal(tmp_path)) as beside:
        assert (beside.next_number(), len(beside.outbox.rows(Alert, 9))) == (2, 1)


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
