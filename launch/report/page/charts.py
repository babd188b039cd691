"""Where the marks of the charts go: percent of a plot that is as wide as the page lets it be."""

from collections.abc import Iterator, Mapping, Sequence

from launch.report.counting.scores import STEPS, ScoreHistogram
from launch.report.counting.timeline import Column, Columns
from launch.report.page.axes import (
    Tick,
    percent_of,
    score_ticks,
    time_ticks,
    top_of,
    value_lines,
)
from launch.report.page.verdicts import VerdictStyle, styles_of
from launch.report.page.words import begin
from launch.terminal.figures import counted, percent
from schemas import Record
from schemas.verdict import Verdict


class Mark(Record, frozen=True, kw_only=True):
    """A rectangle: its left upper corner and its size, percent of the plot."""

    x: float
    y: float
    width: float
    height: float
    css: str


class Bar(Record, frozen=True, kw_only=True):
    """A column of marks, and what it says to who points at it or cannot see it."""

    title: str
    marks: tuple[Mark, ...]


class Chart(Record, frozen=True, kw_only=True):
    """Bars over two axes.

    Attributes:
      bars: from left to right.
      lines: the horizontal lines and what they stand for.
      ticks: the labels below.
      told: what it shows, in a sentence for who cannot see it.
      threshold: the vertical line, None for none.
    """

    bars: tuple[Bar, ...]
    lines: tuple[Tick, ...]
    ticks: tuple[Tick, ...]
    told: str
    threshold: Tick | None = None


def verdict_chart(columns: Columns) -> Chart:
    """Stack the verdicts of each stretch of time."""
    seen = {verdict for column in columns.columns for verdict in column.verdicts}
    styles = styles_of(seen)
    fullest = max(columns.columns, key=_records)
    top = top_of(_records(fullest))
    return Chart(
        bars=tuple(
            Bar(
                title=_told(column, columns.width_us, styles),
                marks=tuple(_stack(column.verdicts, styles, top, number, len(columns.columns))),
            )
            for number, column in enumerate(columns.columns)
        ),
        lines=value_lines(top),
        ticks=time_ticks(columns),
        told=f"Most records: {_records(fullest):,}, {begin(fullest.start_us, columns.width_us)}.",
    )


def share_chart(columns: Columns) -> Chart:
    """Draw for each stretch of time how much of what was judged is low-grounded."""
    shares = [_low_share(column) for column in columns.columns]
    return Chart(
        bars=tuple(
            Bar(
                title=f"{begin(column.start_us, columns.width_us)}: {percent(share)} low-grounded",
                marks=_share_marks(share, number, len(shares)),
            )
            for number, (column, share) in enumerate(zip(columns.columns, shares, strict=True))
        ),
        lines=tuple(Tick(at=100 - share, label=f"{share}%") for share in (50, 100)),
        ticks=time_ticks(columns),
        told=f"Highest share: {percent(max(filter(None, shares), default=0.0))}.",
    )


def score_chart(histogram: ScoreHistogram, threshold: float) -> Chart:
    """Draw how scores are spread, and where the threshold lies."""
    top = top_of(max(histogram.bins))
    width = 100 / STEPS
    return Chart(
        bars=tuple(
            Bar(
                title=_range_told(step, number),
                marks=(
                    Mark(
                        x=step * width,
                        y=100 - percent_of(number, top),
                        width=width,
                        height=percent_of(number, top),
                        css="low" if step / STEPS < threshold else "grounded",
                    ),
                ),
            )
            for step, number in enumerate(histogram.bins)
        ),
        lines=value_lines(top),
        ticks=score_ticks(),
        told=f"{counted(histogram.total, 'answer')}; the threshold is {threshold:g}.",
        threshold=Tick(
            at=threshold * 100,
            label=f"threshold {threshold:g}",
            anchor="end" if threshold > 0.5 else "start",  # noqa: PLR2004 - the middle
        ),
    )


def _range_told(step: int, number: int) -> str:
    return f"{step / STEPS:.2f} to {(step + 1) / STEPS:.2f}: {counted(number, 'answer')}"


def _stack(
    verdicts: Mapping[str, int], styles: Sequence[VerdictStyle], top: int, number: int, of: int
) -> Iterator[Mark]:
    y = 100.0
    for style in styles:
        height = percent_of(verdicts.get(style.verdict, 0), top)
        if height:
            y -= height
            yield Mark(x=100 * number / of, y=y, width=100 / of, height=height, css=style.css)


def _share_marks(share: float | None, number: int, of: int) -> tuple[Mark, ...]:
    if not share:
        return ()
    height = 100 * share
    return (Mark(x=100 * number / of, y=100 - height, width=100 / of, height=height, css="low"),)


def _told(column: Column, width_us: int, styles: Sequence[VerdictStyle]) -> str:
    parts = [
        f"{column.verdicts[style.verdict]:,} {style.name.lower()}"
        for style in styles
        if column.verdicts.get(style.verdict)
    ]
    return f"{begin(column.start_us, width_us)}: {', '.join(parts) or 'no answers'}"


def _records(column: Column) -> int:
    return sum(column.verdicts.values())


def _low_share(column: Column) -> float | None:
    low = column.verdicts.get(Verdict.LOW_GROUNDED, 0)
    judged = low + column.verdicts.get(Verdict.GROUNDED, 0)
    return low / judged if judged else None
