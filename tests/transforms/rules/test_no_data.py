"""Engines that stop sending answers, and resume."""

from collections import defaultdict
from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.schemas.alert import Alert, NoDataIncident, Severity
from groundwatch.schemas.quantities import MINUTE_US
from groundwatch.transforms.rules.no_data import (
    EngineActivity,
    NoDataRule,
    detect_no_data,
    record_arrivals,
)
from tests.support.builders import NOON_US

RULE = NoDataRule()
LONG_AGO_US = 0


def at(minute: float) -> int:
    """So many minutes after noon."""
    return NOON_US + round(minute * MINUTE_US)


def steady(
    engine: str | None = "shop", until: int = 60, every: int = 2
) -> tuple[EngineActivity, ...]:
    """The activity after an answer every so many minutes, from noon on."""
    activities: tuple[EngineActivity, ...] = ()
    for minute in range(0, until, every):
        activities = record_arrivals(activities, {engine: 1}, at(minute))
    return activities


def evaluate(
    activities: Sequence[EngineActivity],
    minute: float,
    since_us: int = LONG_AGO_US,
    rule: NoDataRule = RULE,
) -> tuple[list[Alert], tuple[EngineActivity, ...]]:
    return detect_no_data(activities, rule, receiving_since_us=since_us, now_us=at(minute))


def test_an_incident_opens_once_and_closes_once() -> None:
    activities = steady(until=60)
    alerts, activities = evaluate(activities, 58 + 29.9)
    assert alerts == []
    (opened,), activities = evaluate(activities, 58 + 30)
    assert evaluate(activities, 58 + 31) == ([], activities)
    activities = record_arrivals(activities, {"shop": 1}, at(200))
    (closed,), activities = evaluate(activities, 200.1)
    assert evaluate(activities, 201) == ([], activities)
    incident = NoDataIncident(
        state="open", answers_before=30, last_answer_at_us=at(58), opened_at_us=at(88)
    )
    assert opened.no_data == incident
    assert closed.no_data == msgspec.structs.replace(incident, state="closed")
    assert (opened.kind, opened.engine, opened.severity) == ("no_data", "shop", Severity.WARNING)
    assert (closed.kind, closed.engine, closed.severity) == ("no_data", "shop", Severity.INFO)
    assert (opened.event_time_us, closed.event_time_us) == (at(88), at(200.1))


def test_no_data_of_the_whole_subscription_is_critical() -> None:
    (alert,), _ = evaluate(steady(engine=None), 90)
    assert (alert.engine, alert.severity) == (None, Severity.CRITICAL)


def test_one_engine_stops_while_others_send_answers() -> None:
    activities = record_arrivals(steady(), {"web": 1, None: 1}, at(80))
    alerts, _ = evaluate(activities, 90)
    assert [alert.engine for alert in alerts] == ["shop"]


TRAFFIC = {
    "enough": (dict.fromkeys(range(0, 60, 2), 1), True),
    "one too few": (dict.fromkeys(range(2, 60, 2), 1), False),
    "enough, but longer ago than an hour": (dict.fromkeys(range(0, 120, 4), 1), False),
    "enough, but most of it an hour ago": (
        {0: 24, 10: 1, 20: 1, 30: 1, 40: 1, 50: 1, 60: 1},
        False,
    ),
    "a burst": ({59: 1_000}, False),
    "bursts in six buckets": (dict.fromkeys(range(0, 60, 10), 5), True),
    "bursts in five buckets": (dict.fromkeys(range(0, 60, 12), 5), False),
    "twice in one of five buckets": ({0: 6, 1: 6, 12: 6, 24: 6, 36: 6, 48: 6}, False),
    "nothing came": ({59: 0}, False),
}


@pytest.mark.parametrize(("came", "expected"), TRAFFIC.values(), ids=TRAFFIC)
def test_only_steady_traffic_can_stop(came: dict[int, int], expected: bool) -> None:
    activities: tuple[EngineActivity, ...] = ()
    for minute, answers in came.items():
        activities = record_arrivals(activities, {"shop": answers}, at(minute))
    alerts, _ = evaluate(activities, max(came) + 31)
    assert bool(alerts) is expected


def test_no_data_counts_from_when_messages_were_received_without_delay() -> None:
    activities = steady()
    assert evaluate(activities, 119, since_us=at(90)) == ([], activities)
    alerts, _ = evaluate(activities, 120, since_us=at(90))
    assert len(alerts) == 1


def test_a_short_return_is_not_steady_traffic() -> None:
    _, activities = evaluate(steady(), 90)
    activities = record_arrivals(activities, {"shop": 100}, at(91))
    (closed,), activities = evaluate(activities, 91)
    assert closed.no_data
    assert closed.no_data.state == "closed"
    assert evaluate(activities, 150) == ([], activities)


def test_an_engine_without_steady_traffic_is_dropped_after_an_hour() -> None:
    activities = record_arrivals((), {"shop": 1}, at(0))
    assert evaluate(activities, 60) == ([], activities)
    assert evaluate(activities, 60.1) == ([], ())


def test_an_engine_with_an_open_incident_is_kept() -> None:
    _, activities = evaluate(steady(), 90)
    week = 7 * 24 * 60
    assert evaluate(activities, week) == ([], activities)


def test_a_clock_that_is_set_back_loses_no_answer() -> None:
    activities = record_arrivals(steady(until=60), {"shop": 1}, at(30))
    alerts, _ = evaluate(activities, 60)
    assert [alert.no_data.answers_before for alert in alerts if alert.no_data] == [31]


EVENTS = st.lists(
    st.tuples(st.sampled_from([None, "shop", "web"]), st.integers(0, 20), st.integers(0, 12)),
    max_size=80,
)


@given(EVENTS)
def test_the_incidents_of_each_engine_open_and_close_in_turn(
    events: list[tuple[str | None, int, int]],
) -> None:
    rule = NoDataRule(after_us=10 * MINUTE_US, min_answers=10, min_buckets=2)
    stored, minute = b"[]", 0
    states = defaultdict(list)
    for engine, answers, minutes in events:
        minute += minutes
        activities = msgspec.json.decode(stored, type=tuple[EngineActivity, ...])
        alerts, activities = evaluate(
            record_arrivals(activities, {engine: answers}, at(minute)), minute, rule=rule
        )
        stored = msgspec.json.encode(activities)
        assert evaluate(activities, minute, rule=rule) == ([], activities)
        for alert in alerts:
            assert alert.no_data
            states[alert.engine].append(alert.no_data.state)
    for found in states.values():
        assert found == (["open", "closed"] * len(found))[: len(found)]


def test_an_engine_for_each_answer_fills_no_memory() -> None:
    activities: tuple[EngineActivity, ...] = ()
    for number in range(1_200):
        activities = record_arrivals(activities, {f"engine-{number}": 1, None: 1}, at(0))
    assert len(activities) <= 1_001
    assert None in {activity.engine for activity in activities}


def test_activity_that_a_journal_of_version_1_stored_is_read() -> None:
    _, (activity,) = evaluate(steady(), 90)
    stored = msgspec.json.decode(msgspec.json.encode(activity))
    assert stored["silence"] == {
        "state": "open",
        "answers_before": 30,
        "last_answer_at_us": at(58),
        "opened_at_us": at(90),
    }
    assert msgspec.convert(stored, EngineActivity) == activity
