"""Lay out the ledgers of workers as tables."""

from collections.abc import Iterable, Sequence
from itertools import chain

from msgspec.structs import astuple
from rich.table import Table

from launch.engine.ledger import LedgerHour
from launch.export.target import Delivered
from launch.verify.differences import FoundJournal
from schemas.quantities import to_datetime

_ENDS = ("waiting", *Delivered.__struct_fields__)
_COLUMNS = ("read", "enriched", "failures", "duplicates", "sampled_out", "gap")


def ledger_tables(journals: Sequence[FoundJournal]) -> list[Table]:
    """Show what was read in each hour and where it ended, and what was sent to each tool."""
    if not journals:
        return []
    hours = _hours_table(list(chain.from_iterable(journal.hours for journal in journals)))
    targets = list(chain.from_iterable(map(_targets, journals)))
    return [hours, number_table(("sent to", *_ENDS), targets)] if targets else [hours]


def _targets(journal: FoundJournal) -> Iterable[tuple[str, ...]]:
    """List the targets with the rows that wait for each, and what has become of the others."""
    for target in sorted(journal.delivered.keys() | journal.undelivered.keys()):
        ends = astuple(journal.delivered.get(target, Delivered()))
        yield target, *(f"{number:,}" for number in (journal.undelivered.get(target, 0), *ends))


def _hours_table(hours: Sequence[LedgerHour]) -> Table:
    rows = []
    for each in hours:
        hour = f"{to_datetime(each.hour_us):%Y-%m-%d %H h}"
        rows.append((hour, *(f"{getattr(each, name):,}" for name in _COLUMNS)))
    sums = [sum(getattr(each, name) for each in hours) for name in _COLUMNS]
    table = number_table(("hour (UTC)", *_COLUMNS), rows)
    table.add_row("all", *(f"{number:,}" for number in sums), style="bold")
    return table


def number_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """Make a table without lines, whose numbers, behind the first column, are right-aligned."""
    table = Table(*columns, box=None, padding=(0, 2))
    for column in table.columns[1:]:
        column.justify = "right"
    for row in rows:
        table.add_row(*row)
    return table
