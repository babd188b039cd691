"""Verdicts over time."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.launch.results.report.counts import timeline as timeline_module
from groundwatch.launch.results.report.counts.timeline import OTHERS, WIDTHS_US, Columns, Timeline
from groundwatch.schemas.quantities import HOUR_US, to_rfc3339
from tests.support.builders import NOON_US

DAY_US = 24 * HOUR_US
times = st.integers(-62_000_000_000_000_000, 250_000_000_000_000_000)


def columns_of(*times_us: int) -> Columns:
    timeline = Timeline()
    for time_us in times_us:
        timeline.add(time_us, "GROUNDED")
    return timeline.columns()


@pytest.mark.parametrize("span_us", [0, 1, HOUR_US - 1, 40 * DAY_US + 7])
def test_the_period_is_that_of_the_first_and_the_last_time(span_us: int) -> None:
    timeline = Timeline()
    assert timeline.period() is None
    first_us = NOON_US + 61_000_000
    for part in range(2_001):  # more than there are buckets: they become wider
        timeline.add(first_us + span_us * part // 2_000, "GROUNDED")
    assert timeline.period() == (first_us, first_us + span_us)
    timeline.add(-(10**15), "GROUNDED")  # a wrong clock
    assert timeline.period() == (first_us, first_us + span_us)


def records(columns: Columns) -> list[int]:
    return [verdicts.total() for verdicts in columns.verdicts.values()]


@pytest.mark.parametrize(
    ("span_us", "width"),
    [
        (0, "5 minutes"),
        (HOUR_US * 6, "5 minutes"),
        (HOUR_US * 30, "1 hour"),
        (DAY_US * 10, "6 hours"),
        (DAY_US * 60, "1 day"),
        (DAY_US * 500, "1 week"),
        (DAY_US * 2_000, "4 weeks"),
        (DAY_US * 20_000, "52 weeks"),
        (DAY_US * 200_000, "10 years"),
    ],
)
def test_the_width_fits_the_span(span_us: int, width: str) -> None:
    assert columns_of(NOON_US, NOON_US + span_us).width == width


def test_each_width_is_a_multiple_of_the_one_before() -> None:
    widths = list(WIDTHS_US)
    assert all(wide % narrow == 0 for narrow, wide in pairwise(widths))


def test_empty_buckets_are_columns() -> None:
    assert records(columns_of(NOON_US, NOON_US + 15 * 60 * 1_000_000)) == [1, 0, 0, 1]


def test_a_week_begins_on_monday() -> None:
    columns = columns_of(NOON_US, NOON_US + 500 * DAY_US)
    assert to_rfc3339(min(columns.verdicts)) == "2026-03-02T00:00:00.000000Z"


def test_verdicts_are_counted_separately() -> None:
    timeline = Timeline()
    timeline.add(NOON_US, "GROUNDED")
    timeline.add(NOON_US, "LOW_GROUNDED")
    timeline.add(NOON_US, "LOW_GROUNDED")
    [verdicts] = timeline.columns().verdicts.values()
    assert verdicts == {"GROUNDED": 1, "LOW_GROUNDED": 2}


def test_answers_without_a_time_are_counted_and_not_drawn() -> None:
    timeline = Timeline()
    timeline.add(None, "GROUNDED")
    assert timeline.undated == 1
    assert timeline.columns().verdicts == {}


def test_one_wrong_clock_is_an_outlier() -> None:
    columns = columns_of(0, *(NOON_US + minute * 60_000_000 for minute in range(120)))
    assert columns.width == "5 minutes"
    assert columns.outliers == 1
    assert sum(records(columns)) == 120


def test_an_older_tenth_of_the_answers_is_drawn() -> None:
    old = (NOON_US - 300 * DAY_US + minute for minute in range(12))
    columns = columns_of(*old, *(NOON_US + minute * 60_000_000 for minute in range(108)))
    assert columns.outliers == 0
    assert sum(records(columns)) == 120


def test_buckets_become_wider_when_there_are_too_many() -> None:
    columns = columns_of(*(NOON_US + hour * HOUR_US for hour in range(10_000)))
    assert sum(records(columns)) == 10_000
    assert len(columns.verdicts) <= 84


@given(st.lists(times, max_size=60))
def test_every_answer_is_drawn_or_an_outlier(times_us: list[int]) -> None:
    columns = columns_of(*times_us)
    assert sum(records(columns)) + columns.outliers == len(times_us)


def test_engines_share_the_columns_and_those_with_the_most_answers_come_first() -> None:
    timeline = Timeline()
    for hour, engine in enumerate(["a", "b", "b", None]):
        timeline.add(NOON_US + hour * HOUR_US, "GROUNDED", engine)
    timeline.add(None, "GROUNDED", "undated")
    found = timeline.by_engine(28)
    assert list(found) == ["b", None, "a"]
    assert len({tuple(columns.verdicts) for columns in found.values()}) == 1
    assert sum(records(found["b"])) == 2


@given(st.lists(st.tuples(times, st.sampled_from("abcdefgh"), st.sampled_from(["LOW", "HIGH"]))))
def test_the_columns_of_all_engines_add_up_to_all_columns(
    added: list[tuple[int, str, str]],
) -> None:
    timeline = Timeline()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(timeline_module, "_MAX_ENGINES", 3)
        for time_us, engine, verdict in added:
            timeline.add(time_us, verdict, engine)
    found = timeline.by_engine(84)
    assert len(found) <= 4
    assert (OTHERS in found) == (len({engine for _, engine, _ in added}) > 3)
    whole = timeline.columns().verdicts
    for start_us, verdicts in whole.items():
        assert sum((each.verdicts[start_us] for each in found.values()), Counter()) == verdicts


def test_memory_is_bounded_for_many_engines_and_hours() -> None:
    timeline = Timeline()
    for number in range(20_000):
        timeline.add(NOON_US + number * HOUR_US, "GROUNDED", f"engine-{number % 1_000}")
    assert sum(map(len, timeline._buckets.values())) <= 600 * 51
    assert list(timeline.by_engine(28))[-1] == OTHERS
