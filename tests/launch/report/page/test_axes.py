"""The labels of the charts."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from launch.report.counting.timeline import Columns, Timeline
from launch.report.page.axes import time_ticks, top_of, value_lines
from schemas.quantities import HOUR_US
from tests.support.builders import NOON_US


def columns_over(hours: int) -> Columns:
    timeline = Timeline()
    timeline.add(NOON_US, "GROUNDED")
    timeline.add(NOON_US + hours * HOUR_US, "GROUNDED")
    return timeline.columns()


def labels_over(hours: int) -> list[str]:
    return [tick.label for tick in time_ticks(columns_over(hours))]


@pytest.mark.parametrize(
    ("hours", "labels"),
    [
        (0, ["3 Mar, 12:00"]),
        (3, ["3 Mar, 12:00", "12:30", "13:00", "13:30", "14:00", "14:30", "15:00"]),
        (30, ["12:00", "18:00", "4 Mar", "06:00", "12:00", "18:00"]),
        (24 * 5, ["4 Mar", "5 Mar", "6 Mar", "7 Mar", "8 Mar"]),
        (24 * 365 * 3, ["Oct 2026", "Oct 2027", "Oct 2028"]),
    ],
    ids=lambda value: f"{value} hours" if isinstance(value, int) else "",
)
def test_labels_name_round_moments(hours: int, labels: list[str]) -> None:
    assert labels_over(hours) == labels


@given(st.integers(0, 24 * 365 * 40))
def test_there_are_a_few_labels_that_do_not_touch(hours: int) -> None:
    ticks = time_ticks(columns_over(hours))
    assert 1 <= len(ticks) <= 9
    assert all(0 <= tick.at <= 100 for tick in ticks)
    assert all(after.at - before.at >= 10 for before, after in pairwise(ticks))


@given(st.integers(1, 10**12))
def test_the_top_is_round_and_not_much_above_the_most(most: int) -> None:
    top = top_of(most)
    assert most <= top <= 2 * most + 2
    lines = value_lines(top)
    assert 1 <= len(lines) <= 4
    assert lines[-1].at == pytest.approx(0)


@pytest.mark.parametrize(
    ("most", "labels"),
    [
        (1, ["1"]),
        (4, ["1", "2", "3", "4"]),
        (274, ["100", "200", "300"]),
        (5_000, ["2,000", "4,000", "6,000"]),
    ],
)
def test_lines_stand_at_round_numbers(most: int, labels: list[str]) -> None:
    assert [line.label for line in value_lines(top_of(most))] == labels
