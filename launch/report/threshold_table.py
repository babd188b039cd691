"""Print the verdicts under other thresholds on a terminal."""

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table

from launch.report.counts.tally import Tally
from launch.report.counts.thresholds import Outcome
from launch.terminal.figures import count, counted, percent


def show_thresholds(tally: Tally) -> None:
    """Print how many answers would be low-grounded under other thresholds."""
    grid = tally.grid
    console = Console(highlight=False)
    console.print(
        f"\n{counted(grid.total, 'scored answer')}, no new call; alerts by default settings,"
        f" {tally.unscored_alerts:,} of them under any thresholds\n"
    )
    if not grid.total:
        return
    if tally.labels_matched:
        console.print(
            f"precision and recall of {counted(tally.labels_matched, 'labelled answer')}\n"
        )
    support, claim = grid.thresholds.low_grounded, grid.thresholds.claim
    console.print(_table("support threshold", tally, grid.by_support(), _support, support))
    console.print()
    console.print(_table("claim threshold", tally, grid.by_claim(), _claim, claim))
    console.print()


def _table(
    name: str,
    tally: Tally,
    outcomes: Sequence[Outcome],
    threshold: Callable[[Outcome], float],
    in_force: float,
) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    labelled = ("precision", "recall") if tally.labels_matched else ()
    for heading in (name, "low-grounded", "share", "alerts", *labelled, ""):
        table.add_column(heading, justify="right")
    for outcome in outcomes:
        is_in_force = threshold(outcome) == in_force
        shares = (outcome.precision, outcome.recall) if tally.labels_matched else ()
        table.add_row(
            f"{threshold(outcome):g}",
            count(outcome.low_grounded),
            percent(outcome.share),
            count(outcome.low_grounded + tally.unscored_alerts),
            *map(percent, shares),
            "in force" if is_in_force else "",
            style="bold" if is_in_force else None,
        )
    return table


def _support(outcome: Outcome) -> float:
    return outcome.support_threshold


def _claim(outcome: Outcome) -> float:
    return outcome.claim_threshold
