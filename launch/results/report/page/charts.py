"""The bars and the axes of the charts. Places are percentages of the plot."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import count
from math import ceil
from typing import NamedTuple

from groundwatch.launch.cli.terminal.figures import counted, format_time, percent
from groundwatch.launch.results.report.counts.tally import BINS
from groundwatch.launch.results.report.counts.timeline import MONDAY_US, Columns
from groundwatch.schemas.quantities import DAY_US, HOUR_US, MINUTE_US
from groundwatch.schemas.verdict import Verdict
from .presentation import format_bucket, verdict_styles

_QUARTER_US = 84 * DAY_US
_YEAR_US = 364 * DAY_US
_STEPS_US = (
    *(minutes * MINUTE_US for minutes in (5, 15, 30)),
    *(hours * HOUR_US for hours in (1, 3, 6, 12)),
    *(days * DAY_US for days in (1, 2, 7, 14, 28, 84)),
    *(years * _YEAR_US for years in (1, 2, 5, 10, 20, 50, 100, 1000)),
)
_UNITS = (10**6, "M"), (10**3, "k"), (1, "")
_MAX_TICKS = 7
_MAX_LINES = 4
_EDGE = 10.0
_MIDDLE = 0.5


class Tick(NamedTuple):
    """A label on an axis, and the end of it that is there; a narrow page hides minor ones."""

    at: float
    label: str
    anchor: str = "middle"
    is_minor: bool = False


class Bar(NamedTuple):
    """A column: its text for a screen reader; its styles and values, from the base line up."""

    title: str
    parts: Sequence[tuple[str, float]]


class Chart(NamedTuple):
    """Bars over two axes with horizontal lines, and a description for a screen reader."""

    bars: Sequence[Bar]
    top: float
    lines: Sequence[Tick]
    ticks: Sequence[Tick]
    description: str
    threshold: Tick | None = None


def verdict_chart(columns: Columns) -> Chart:
    """Stack the verdicts of each time bucket."""
    styles = verdict_styles(set().union(*columns.verdicts.values()))
    bars = []
    for start_us, verdicts in columns.verdicts.items():
        found = [(style, verdicts[style.verdict]) for style in styles if verdicts[style.verdict]]
        words = ", ".join(f"{number:,} {style.name.lower()}" for style, number in found)
        title = f"{format_bucket(start_us, columns.width_us)}: {words or 'no answers'}"
        bars.append(Bar(title, [(style.css, number) for style, number in found]))
    fullest_us = max(columns.verdicts, key=lambda start_us: columns.verdicts[start_us].total())
    most = columns.verdicts[fullest_us].total()
    top, lines = value_axis(most)
    return Chart(
        bars=bars,
        top=top,
        lines=lines,
        ticks=time_ticks(columns),
        description=f"Most records: {most:,}, {format_bucket(fullest_us, columns.width_us)}.",
    )


def highest_share(drawn: Iterable[Columns]) -> float:
    """Return the highest low-grounded share of any time bucket, 0..1."""
    counts = (verdicts for columns in drawn for verdicts in columns.verdicts.values())
    return max(filter(None, map(low_share, counts)), default=0.0)


def share_chart(columns: Columns, highest: float | None = None) -> Chart:
    """Draw the low-grounded share of the assessed answers of each time bucket.

    Charts that are compared have the highest share of all of them, 0..1, on their axes.
    """
    shares = {us: low_share(verdicts) for us, verdicts in columns.verdicts.items()}
    own = highest_share([columns])
    percents, lines = value_axis(max(ceil(100 * (own if highest is None else highest)), 1))
    return Chart(
        bars=[
            Bar(
                f"{format_bucket(start_us, columns.width_us)}: {percent(share)} low-grounded",
                [("low", share or 0.0)],
            )
            for start_us, share in shares.items()
        ],
        top=percents / 100,
        lines=[line._replace(label=f"{line.label}%") for line in lines],
        ticks=time_ticks(columns),
        description=f"Highest share: {percent(own)}.",
    )


def low_share(verdicts: Counter[str]) -> float | None:
    """Return the low-grounded share of assessed answers, 0..1; None without any."""
    low, grounded = verdicts[Verdict.LOW_GROUNDED], verdicts[Verdict.GROUNDED]
    return low / (low + grounded) if low + grounded else None


def score_chart(histogram: Counter[int], threshold: float) -> Chart:
    """Draw the distribution of scores by twentieths, and the threshold."""
    top, lines = value_axis(max(histogram.values()))
    return Chart(
        bars=[
            Bar(
                f"{low:.2f} to {low + 1 / BINS:.2f}: {counted(histogram[step], 'answer')}",
                [("low" if low < threshold else "grounded", histogram[step])],
            )
            for step, low in enumerate(step / BINS for step in range(BINS))
        ],
        top=top,
        lines=lines,
        ticks=[Tick(at, f"{at / 100:g}", _anchor(at)) for at in range(0, 101, 20)],
        description=f"{counted(histogram.total(), 'answer')}; the threshold is {threshold:g}.",
        threshold=Tick(
            threshold * 100, f"threshold {threshold:g}", "end" if threshold > _MIDDLE else "start"
        ),
    )


def time_ticks(columns: Columns) -> list[Tick]:
    """Label the columns that start at a round time, or else the first one."""
    starts_us = list(columns.verdicts)
    # The finest step that needs few labels and falls on columns.
    span_us = len(starts_us) * columns.width_us
    steps = (step for step in _STEPS_US if not step % columns.width_us)
    step_us = next((step for step in steps if span_us <= _MAX_TICKS * step), columns.width_us)
    labelled = [
        number for number, start_us in enumerate(starts_us) if not (start_us - MONDAY_US) % step_us
    ] or [0]
    # Hours alone do not name the day.
    needs_day = all((starts_us[number] - MONDAY_US) % DAY_US for number in labelled)
    return [
        Tick(
            at=100 * number / len(starts_us),
            label=_label(starts_us[number], step_us, with_day=needs_day and number == labelled[0]),
            anchor=_anchor(100 * number / len(starts_us)),
            is_minor=bool((starts_us[number] - MONDAY_US) // step_us % 2),
        )
        for number in labelled
    ]


def value_axis(highest: int) -> tuple[int, list[Tick]]:
    """Choose the value at the top of a plot, a round number, and a few lines at round numbers.

    >>> end, ticks = value_axis(1234)
    >>> end, [tick.label for tick in ticks]
    (1500, ['500', '1,000', '1,500'])
    """
    least = max(-(-highest // _MAX_LINES), 1)
    rounds = (digit * 10**power for power in count() for digit in (1, 2, 5))
    step = next(number for number in rounds if number >= least)
    top = -(-highest // step) * step
    unit, name = next(each for each in _UNITS if not step % each[0])
    lines = range(step, top + 1, step)
    return top, [Tick(100 - 100 * value / top, f"{value // unit:,}{name}") for value in lines]


def _label(start_us: int, step_us: int, *, with_day: bool) -> str:
    if step_us >= _QUARTER_US:
        return format_time(start_us, "{0:%b} {0.year}")
    if step_us >= DAY_US or not (start_us - MONDAY_US) % DAY_US:
        return format_time(start_us, "{0.day} {0:%b}")
    return format_time(start_us, "{0.day} {0:%b}, {0:%H:%M}" if with_day else "{0:%H:%M}")


def _anchor(at: float) -> str:
    if at < _EDGE:
        return "start"
    return "end" if at > 100 - _EDGE else "middle"
