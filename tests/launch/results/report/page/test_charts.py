"""The bars and the axes of the charts."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.launch.results.report.counts.tally import ScoreHistogram
from groundwatch.launch.results.report.counts.timeline import Columns, Timeline
from groundwatch.launch.results.report.page.charts import (
    Chart,
    score_chart,
    share_chart,
    time_ticks,
    value_axis,
    verdict_chart,
)
from groundwatch.schemas.quantities import HOUR_US
from groundwatch.schemas.verdict import Verdict
from tests.support.builders import NOON_US

LOW, GROUNDED = Verdict.LOW_GROUNDED, Verdict.GROUNDED


def columns_of(*verdicts_by_hour: list[Verdict]) -> Columns:
    timeline = Timeline()
    for hour, verdicts in enumerate(verdicts_by_hour):
        for verdict in verdicts:
            timeline.add(NOON_US + hour * 10 * HOUR_US, verdict)
    return timeline.columns()


def scores_of(*scores: float) -> ScoreHistogram:
    histogram = ScoreHistogram()
    for score in scores:
        histogram.add(score)
    return histogram


def test_low_grounded_is_on_the_base_line() -> None:
    chart = verdict_chart(columns_of([GROUNDED, LOW, GROUNDED, GROUNDED]))
    assert (chart.top, chart.bars[0].parts) == (4, [("low", 1), ("grounded", 3)])


def test_a_bar_names_its_counts() -> None:
    [bar] = verdict_chart(columns_of([GROUNDED, LOW, GROUNDED])).bars
    assert bar.title == "3 Mar, 12:00: 1 low-grounded, 2 grounded"


def test_a_verdict_of_a_later_version_is_drawn_under_its_own_name() -> None:
    timeline = Timeline()
    timeline.add(NOON_US, "NEW_VERDICT")
    [bar] = verdict_chart(timeline.columns()).bars
    assert bar.title.endswith("1 new_verdict")
    assert bar.parts == [("unknown", 1)]


def test_the_share_is_of_assessed_answers() -> None:
    first, *_, last = share_chart(columns_of([LOW, GROUNDED], [Verdict.UNSCORABLE])).bars
    assert (first.parts, last.parts) == ([("low", 0.5)], [("low", 0.0)])
    assert last.title.endswith(": — low-grounded")


@pytest.mark.parametrize(
    ("low", "highest", "labels"),
    [
        (1, None, ["1%"]),
        (20, None, ["5%", "10%", "15%", "20%"]),
        (85, None, ["50%", "100%"]),
        (1, 0.5, ["20%", "40%", "60%"]),
        (0, None, ["1%"]),
    ],
)
def test_the_axis_of_shares_fits_them(low: int, highest: float | None, labels: list[str]) -> None:
    chart = share_chart(columns_of([LOW] * low + [GROUNDED] * (100 - low)), highest)
    assert [line.label for line in chart.lines] == labels


def test_scores_below_the_threshold_are_drawn_as_low() -> None:
    chart = score_chart(scores_of(0.55, 0.6), 0.6)
    assert chart.bars[11].parts == [("low", 1)]
    assert chart.bars[12].parts == [("grounded", 1)]
    assert chart.threshold is not None
    assert (chart.threshold.at, chart.threshold.label) == (60, "threshold 0.6")


def fits(chart: Chart) -> bool:
    return all(sum(value for _, value in bar.parts) <= chart.top for bar in chart.bars)


@given(st.lists(st.lists(st.sampled_from(Verdict), max_size=30), min_size=1, max_size=20))
def test_no_column_is_higher_than_the_plot(verdicts_by_hour: list[list[Verdict]]) -> None:
    columns = columns_of([GROUNDED], *verdicts_by_hour)
    assert fits(verdict_chart(columns))
    assert fits(share_chart(columns))


@given(st.lists(st.floats(0, 1), min_size=1))
def test_no_score_is_higher_than_the_plot(scores: list[float]) -> None:
    assert fits(score_chart(scores_of(*scores), 0.4))


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
    top, lines = value_axis(most)
    assert most <= top <= 2 * most + 2
    assert 1 <= len(lines) <= 4
    assert lines[-1].at == pytest.approx(0)


@pytest.mark.parametrize(
    ("most", "labels"),
    [
        (1, ["1"]),
        (4, ["1", "2", "3", "4"]),
        (274, ["100", "200", "300"]),
        (5_000, ["2k", "4k", "6k"]),
        (50_000, ["20k", "40k", "60k"]),
        (5_000_000, ["2M", "4M", "6M"]),
    ],
)
def test_lines_are_at_round_numbers(most: int, labels: list[str]) -> None:
    assert [line.label for line in value_axis(most)[1]] == labels
