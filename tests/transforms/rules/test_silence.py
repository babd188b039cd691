"""Engines that fall silent, and come back."""

from collections import defaultdict
from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.alert import Alert, NoDataIncident, Severity
from schemas.quantities import MINUTE_US
from tests.support.builders import NOON_US
from transforms.rules.silence import Pulse, SilenceRule, hear, judge_silence

RULE = SilenceRule()
LONG_AGO_US = 0


def at(minute: float) -> int:
    """So many minutes after noon."""
    return NOON_US + round(minute * MINUTE_US)


def steady(engine: str | None = "shop", until: int = 60, every: int = 2) -> tuple[Pulse, ...]:
    """What is remembered after an answer every so many minutes, from noon on."""
    pulses: tuple[Pulse, ...] = ()
    for minute in range(0, until, every):
        pulses = hear(pulses, {engine: 1}, at(minute))
    return pulses


def judged(
    pulses: Sequence[Pulse], minute: float, since_us: int = LONG_AGO_US, rule: SilenceRule = RULE
) -> tuple[list[Alert], tuple[Pulse, ...]]:
    return judge_silence(pulses, rule, listening_since_us=since_us, now_us=at(minute))


def test_a_silence_is_told_once_and_its_end_once() -> None:
    pulses = steady(until=60)
    alerts, pulses = judged(pulses, 58 + 29.9)
    assert alerts == []
    (opened,), pulses = judged(pulses, 58 + 30)
    assert judged(pulses, 58 + 31) == ([], pulses)
    pulses = hear(pulses, {"shop": 1}, at(200))
    (closed,), pulses = judged(pulses, 200.1)
    assert judged(pulses, 201) == ([], pulses)
    silence = NoDataIncident(
        state="open", answers_before=30, last_answer_at_us=at(58), opened_at_us=at(88)
    )
    assert opened.no_data == silence
    assert closed.no_data == msgspec.structs.replace(silence, state="closed")
    assert (opened.kind, opened.engine, opened.severity) == ("no_data", "shop", Severity.WARNING)
    assert (closed.kind, closed.engine, closed.severity) == ("no_data", "shop", Severity.INFO)
    assert (opened.event_time_us, closed.event_time_us) == (at(88), at(200.1))


def test_the_silence_of_the_whole_subscription_is_critical() -> None:
    (alert,), _ = judged(steady(engine=None), 90)
    assert (alert.engine, alert.severity) == (None, Severity.CRITICAL)


def test_one_engine_is_silent_while_others_are_not() -> None:
    pulses = hear(steady(), {"web": 1, None: 1}, at(80))
    alerts, _ = judged(pulses, 90)
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
    "bursts in six stretches": (dict.fromkeys(range(0, 60, 10), 5), True),
    "bursts in five stretches": (dict.fromkeys(range(0, 60, 12), 5), False),
    "twice in one of five stretches": (
        {0: 6, 1: 6, 12: 6, 24: 6, 36: 6, 48: 6},
        False,
    ),
    "nothing came": ({59: 0}, False),
}


@pytest.mark.parametrize(("came", "expected"), TRAFFIC.values(), ids=TRAFFIC)
def test_only_steady_traffic_can_fall_silent(came: dict[int, int], expected: bool) -> None:
    pulses: tuple[Pulse, ...] = ()
    for minute, answers in came.items():
        pulses = hear(pulses, {"shop": answers}, at(minute))
    alerts, _ = judged(pulses, max(came) + 31)
    assert bool(alerts) is expected


def test_a_silence_begins_no_earlier_than_somebody_listened() -> None:
    pulses = steady()
    assert judged(pulses, 119, since_us=at(90)) == ([], pulses)
    alerts, _ = judged(pulses, 120, since_us=at(90))
    assert len(alerts) == 1


def test_what_comes_back_for_a_moment_is_no_steady_traffic() -> None:
    _, pulses = judged(steady(), 90)
    pulses = hear(pulses, {"shop": 100}, at(91))
    (closed,), pulses = judged(pulses, 91)
    assert closed.no_data
    assert closed.no_data.state == "closed"
    assert judged(pulses, 150) == ([], pulses)


def test_an_engine_that_tells_nothing_is_forgotten_after_an_hour() -> None:
    pulses = hear((), {"shop": 1}, at(0))
    assert judged(pulses, 60) == ([], pulses)
    assert judged(pulses, 60.1) == ([], ())


def test_an_engine_that_fell_silent_is_remembered() -> None:
    _, pulses = judged(steady(), 90)
    week = 7 * 24 * 60
    assert judged(pulses, week) == ([], pulses)


def test_a_clock_that_is_set_back_loses_no_answer() -> None:
    pulses = hear(steady(until=60), {"shop": 1}, at(30))
    alerts, _ = judged(pulses, 60)
    assert [alert.no_data.answers_before for alert in alerts if alert.no_data] == [31]


EVENTS = st.lists(
    st.tuples(st.sampled_from([None, "shop", "web"]), st.integers(0, 20), st.integers(0, 12)),
    max_size=80,
)


@given(EVENTS)
def test_each_engine_falls_silent_and_comes_back_in_turn(
    events: list[tuple[str | None, int, int]],
) -> None:
    rule = SilenceRule(after_us=10 * MINUTE_US, min_answers=10, min_stretches=2)
    kept, minute = b"[]", 0
    states = defaultdict(list)
    for engine, answers, minutes in events:
        minute += minutes
        pulses = msgspec.json.decode(kept, type=tuple[Pulse, ...])
        alerts, pulses = judged(hear(pulses, {engine: answers}, at(minute)), minute, rule=rule)
        kept = msgspec.json.encode(pulses)
        assert judged(pulses, minute, rule=rule) == ([], pulses)
        for alert in alerts:
            assert alert.no_data
            states[alert.engine].append(alert.no_data.state)
    for told in states.values():
        assert told == (["open", "closed"] * len(told))[: len(told)]


def test_an_engine_for_each_answer_fills_no_memory() -> None:
    pulses: tuple[Pulse, ...] = ()
    for number in range(1_200):
        pulses = hear(pulses, {f"engine-{number}": 1, None: 1}, at(0))
    assert len(pulses) <= 1_001
    assert None in {pulse.engine for pulse in pulses}
