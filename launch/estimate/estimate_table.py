"""Print an estimate on a terminal."""

from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from launch.terminal.figures import counted
from schemas.cost_estimate import Estimate, Interval

_INDENT = (0, 0, 1, 2)
_WIDTH = 92
_SHORT_MINUTES = 0.1
_LONG_MINUTES = 10

_Row = tuple[str, str, str]
"""A name, a number and a note."""


def show_estimate(estimate: Estimate) -> None:
    """Print an estimate."""
    console = Console(highlight=False)
    console.width = min(console.width, _WIDTH)
    sampled = estimate.sampled_messages
    source = "" if sampled is None else f"; extrapolated from {sampled:,} of them"
    read = (counted(estimate.read, "message"), "bold")
    console.print(Text.assemble("\n", read, f", no call made{source}\n"))
    for rows in (_message_rows(estimate), _call_rows(estimate)):
        console.print(Padding(_table(rows), _INDENT))


def _table(rows: Iterable[_Row]) -> Table:
    table = Table.grid(padding=(0, 2))
    for row in rows:
        table.add_row(*row)
    table.columns[0].min_width = 22
    table.columns[1].justify = "right"
    table.columns[1].min_width = 12
    return table


def _message_rows(estimate: Estimate) -> Iterator[_Row]:
    verdicts = ", ".join(f"{count:,} {name}" for name, count in estimate.decided.items())
    yield "failures", f"{estimate.failures:,}", "that cannot be read"
    yield "duplicates", f"{estimate.duplicates:,}", ""
    if estimate.sampled_out:
        yield "sampled out", f"{estimate.sampled_out:,}", ""
    yield "decided without a call", f"{sum(estimate.decided.values()):,}", verdicts
    yield "to be checked", f"{estimate.to_check:,}", ""


def _call_rows(estimate: Estimate) -> Iterator[_Row]:
    within, more = estimate.intervals, estimate.most_rechecks
    yield "calls", f"{estimate.calls:,}", _call_note(estimate)
    if more.calls:
        yield "", f"+ 0 to {more.calls:,}", "for rechecks of answers with many facts"
    yield "characters", f"{estimate.characters:,}", _between(within.characters) if within else ""
    if more.calls:
        yield "", f"+ 0 to {more.characters:,}", "for rechecks"
    if estimate.cost is not None:
        interval = _between(within.cost, digits=2) + ", " if within and within.cost else ""
        price = f"at {estimate.price_per_1k_chars:g} for 1,000 characters"
        yield "cost", f"{estimate.cost:,.2f}", interval + price
    if more.cost:
        yield "", f"+ 0 to {more.cost:,.2f}", "for rechecks"
    if estimate.minutes_at_quota is not None:
        note = f"at {estimate.requests_per_minute:g} requests a minute"
        yield "minutes", _minutes(estimate.minutes_at_quota), note
    in_flight = estimate.max_in_flight * estimate.workers
    latency = f"{estimate.assumed_latency_ms:g} ms a call (assumed), {in_flight:,} in flight"
    yield "minutes without quota", _minutes(estimate.minutes_without_quota), latency


def _call_note(estimate: Estimate) -> str:
    are_repeated = estimate.planned_calls > estimate.calls
    if estimate.intervals:
        fewer = ", fewer if more calls are identical" if are_repeated else ""
        return _between(estimate.intervals.calls) + fewer
    return f"of {estimate.planned_calls:,}: identical ones are paid once" if are_repeated else ""


def _between(interval: Interval, digits: int = 0) -> str:
    return f"{interval.low:,.{digits}f} to {interval.high:,.{digits}f} (95 %)"


def _minutes(minutes: float) -> str:
    if minutes < _SHORT_MINUTES:
        return f"under {_SHORT_MINUTES}"
    return f"{minutes:,.1f}" if minutes < _LONG_MINUTES else f"{minutes:,.0f}"
