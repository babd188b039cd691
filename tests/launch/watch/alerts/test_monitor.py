"""Alerts about rates and missing answers, evaluated from the journal's counts."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from groundwatch.launch.engine.journal import Journal
from groundwatch.launch.watch.alerts.monitor import Monitor
from groundwatch.schemas.alert import Alert, AlertKind
from groundwatch.schemas.quantities import HOUR_US, MINUTE_US
from groundwatch.transforms.rules.checker_outages import OutageRule
from groundwatch.transforms.rules.no_data import NoDataRule
from groundwatch.transforms.rules.rate_counts import BUCKET_US, RateCounts
from groundwatch.transforms.rules.rate_incidents import RateRule
from tests.support.builders import NOON_US
from tests.support.journals import commit_batch, open_journal

RULES = RateRule(), NoDataRule(), OutageRule()


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with closing(open_journal(tmp_path)) as opened:
        yield opened


def batch(journal: Journal, start_us: int, answers: int, low: int) -> tuple[RateCounts, ...]:
    """Commit a batch of answers of one bucket."""
    number = journal.next_number()
    counts = RateCounts(start_us=start_us, answers=answers, low_grounded=low)
    commit_batch(journal, number, rates=(("shop", counts),))
    return (counts,)


def raised(journal: Journal) -> list[Alert]:
    """Take the alerts out of the outbox."""
    rows = journal.outbox.rows(Alert, 100)
    journal.outbox.delete(identity for identity, _ in rows)
    return [alert for _, alert in rows]


def states(alerts: list[Alert]) -> list[tuple[str, str]]:
    return [(alert.rate.signal, alert.rate.state) for alert in alerts if alert.rate]


def test_an_episode_opens_once_and_closes_once_even_over_a_restart(journal: Journal) -> None:
    now_us = NOON_US
    found = []
    for bucket in range(40):
        low = 9 if 6 <= bucket < 12 else 0
        batch(journal, NOON_US + bucket * BUCKET_US, 10, low)
        now_us = NOON_US + (bucket + 1) * BUCKET_US
        # Another process each time.
        Monitor(journal, *RULES, now_us).evaluate(now_us)
        found += states(raised(journal))
    assert found == [("low_grounded", "open"), ("low_grounded", "closed")]


def test_a_backlog_is_evaluated_as_it_would_have_been_in_time(journal: Journal) -> None:
    week_later_us = NOON_US + 7 * 24 * HOUR_US
    for bucket in range(40):
        batch(journal, NOON_US + bucket * BUCKET_US, 10, 9 if 6 <= bucket < 12 else 0)
    Monitor(journal, *RULES, week_later_us).evaluate(week_later_us)
    assert states(raised(journal)) == [("low_grounded", "open"), ("low_grounded", "closed")]


def test_it_looks_every_few_seconds_and_not_at_every_batch(journal: Journal) -> None:
    monitor = Monitor(journal, *RULES, NOON_US)
    monitor.evaluate(NOON_US)
    batch(journal, NOON_US, 100, 100)
    monitor.evaluate(NOON_US + 1_000_000)
    assert raised(journal) == []
    monitor.evaluate(NOON_US + 5_000_000)
    assert states(raised(journal)) == [("low_grounded", "open")]
    assert monitor.open_rate_incidents == 1


def record_an_hour(monitor: Monitor) -> int:
    """Let ten messages of an engine come every minute; returns the moment of the last."""
    now_us = NOON_US
    for minute in range(60):
        now_us = NOON_US + minute * MINUTE_US
        monitor.record_arrivals(10, {"shop": 10}, now_us)
    return now_us


def test_missing_answers_after_steady_traffic_open_and_close_one_incident(journal: Journal) -> None:
    monitor = Monitor(journal, *RULES, NOON_US)
    last_us = record_an_hour(monitor)
    for third in range(3 * 120):
        monitor.evaluate(last_us + third * MINUTE_US // 3)
    alerts = raised(journal)
    assert len(alerts) == 2
    assert {(alert.kind, alert.engine) for alert in alerts} == {
        (AlertKind.NO_DATA, None),
        (AlertKind.NO_DATA, "shop"),
    }
    assert monitor.open_no_data_incidents == 2
    again_us = last_us + 200 * MINUTE_US
    monitor.record_arrivals(1, {"shop": 1}, again_us)
    monitor.evaluate(again_us)
    assert {alert.no_data.state for alert in raised(journal) if alert.no_data} == {"closed"}
    assert monitor.open_no_data_incidents == 0


def test_while_nothing_can_be_taken_silence_means_nothing(journal: Journal) -> None:
    monitor = Monitor(journal, *RULES, NOON_US)
    last_us = record_an_hour(monitor)
    for minute in range(0, 120, 10):
        monitor.record_backlog(last_us + minute * MINUTE_US)
        monitor.evaluate(last_us + minute * MINUTE_US)
    assert raised(journal) == []


@pytest.mark.parametrize("minutes", [-90, 1, 5], ids=["set back", "stopped", "set ahead"])
def test_time_in_which_the_worker_did_not_run_is_no_silence(journal: Journal, minutes: int) -> None:
    """Whether the process was stopped or its clock was set."""
    rule = NoDataRule(after_us=MINUTE_US)
    monitor = Monitor(journal, RateRule(), rule, OutageRule(), NOON_US)
    last_us = record_an_hour(monitor)
    monitor.evaluate(last_us)
    after_us = last_us + minutes * MINUTE_US + MINUTE_US // 6
    monitor.evaluate(after_us)
    monitor.evaluate(after_us + MINUTE_US // 3)
    assert raised(journal) == []
    monitor.record_arrivals(10, {"shop": 10}, after_us + MINUTE_US // 2)
    for second in range(30, 150, 5):
        monitor.evaluate(after_us + second * MINUTE_US // 60)
    assert {alert.no_data.state for alert in raised(journal) if alert.no_data} == {"open"}


def test_counts_that_are_needed_no_more_are_forgotten(journal: Journal) -> None:
    for day in range(5):
        batch(journal, NOON_US + day * 24 * HOUR_US, 10, 0)
    now_us = NOON_US + 4 * 24 * HOUR_US + BUCKET_US
    Monitor(journal, *RULES, now_us).evaluate(now_us)
    kept = journal.rates(0)["shop"]
    assert [counts.start_us for counts in kept] == [NOON_US + day * 24 * HOUR_US for day in (3, 4)]
