"""The labels of the charts: round numbers, and moments that a clock or a calendar has names for."""

from launch.report.counting.timeline import MONDAY_US, Columns
from launch.report.page.words import clock, day, month
from schemas import Record
from schemas.quantities import DAY_US, HOUR_US, MINUTE_US

_QUARTER_US = 84 * DAY_US
_YEAR_US = 364 * DAY_US
_STEPS_US = (
    *(minutes * MINUTE_US for minutes in (5, 15, 30)),
    *(hours * HOUR_US for hours in (1, 3, 6, 12)),
    *(days * DAY_US for days in (1, 2, 7, 14, 28, 84)),
    *(years * _YEAR_US for years in (1, 2, 5, 10, 20, 50, 100, 1000)),
)
_MOST_TICKS = 7
_MOST_LINES = 4
_EDGE = 10.0
_ROUND = (1, 2, 5)


class Tick(Record, frozen=True, kw_only=True):
    """A label on an axis.

    Attributes:
      at: percent of the plot, from the left or from the top.
      label: its text.
      anchor: which end of the text stands there: start, middle or end.
      is_minor: whether it may be left out where there is little room.
    """

    at: float
    label: str
    anchor: str = "middle"
    is_minor: bool = False


def time_ticks(columns: Columns) -> tuple[Tick, ...]:
    """Label the columns that begin at a round moment; the first one where none does."""
    starts_us = [column.start_us for column in columns.columns]
    step_us = _step_us(columns)
    named = [
        number for number, start_us in enumerate(starts_us) if not (start_us - MONDAY_US) % step_us
    ] or [0]
    # Hours alone would not say of which day.
    needs_day = all((starts_us[number] - MONDAY_US) % DAY_US for number in named)
    return tuple(
        Tick(
            at=100 * number / len(starts_us),
            label=_label(starts_us[number], step_us, with_day=needs_day and number == named[0]),
            anchor=_anchor(100 * number / len(starts_us)),
            is_minor=bool((starts_us[number] - MONDAY_US) // step_us % 2),
        )
        for number in named
    )


def value_lines(top: int) -> tuple[Tick, ...]:
    """Lines at round numbers of records, the last one at the top.

    Args:
      top: what the plot's height stands for, as `top_of` gives it.
    """
    step = _value_step(top)
    return tuple(
        Tick(at=100 - percent_of(value, top), label=f"{value:,}")
        for value in range(step, top + 1, step)
    )


def top_of(most: int) -> int:
    """What a plot's height stands for: a round number, not much above the most records."""
    step = _value_step(most)
    return -(-most // step) * step


def score_ticks() -> tuple[Tick, ...]:
    """Labels from 0 to 1."""
    return tuple(
        Tick(at=at, label=f"{at / 100:g}", anchor=_anchor(at)) for at in (0, 20, 40, 60, 80, 100)
    )


def percent_of(number: int, top: int) -> float:
    """How much of a plot's height a number takes."""
    return 100 * number / top


def _value_step(top: int) -> int:
    """The least of 1, 2, 5, 10, 20, 50 and so on with which a few lines reach the top."""
    least = max(-(-top // _MOST_LINES), 1)
    power = 1
    while least > _ROUND[-1] * power:
        power *= 10
    return next(step * power for step in _ROUND if least <= step * power)


def _step_us(columns: Columns) -> int:
    """The finest step that needs few labels and falls on columns."""
    span_us = len(columns.columns) * columns.width_us
    steps = (step for step in _STEPS_US if not step % columns.width_us)
    return next((step for step in steps if span_us <= _MOST_TICKS * step), columns.width_us)


def _label(start_us: int, step_us: int, *, with_day: bool) -> str:
    if step_us >= _QUARTER_US:
        return month(start_us)
    if step_us >= DAY_US or not (start_us - MONDAY_US) % DAY_US:
        return day(start_us)
    return f"{day(start_us)}, {clock(start_us)}" if with_day else clock(start_us)


def _anchor(at: float) -> str:
    """Keep labels at the edges inside the plot."""
    if at < _EDGE:
        return "start"
    return "end" if at > 100 - _EDGE else "middle"
