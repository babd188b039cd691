"""Print the ledger of a worker, and verify its output."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing

from msgspec.structs import astuple
from rich.console import Console
from rich.table import Table

from launch.engine.journal import Journal
from launch.engine.ledger import LedgerHour
from launch.export.target import Delivered
from launch.terminal.exit_status import DONE, FAILED, fail
from launch.verify.verify_folder import find_journals, open_journal, verify_folder
from pipeline.settings.commands import StatusSettings
from pipeline.settings.load import Loaded
from schemas.quantities import to_datetime

_ENDS = ("waiting", *Delivered.__struct_fields__)
_COLUMNS = ("read", "enriched", "failures", "duplicates", "sampled_out", "gap")


def status(loaded: Loaded[StatusSettings]) -> int:
    """Print the ledger; return 1 if an hour does not add up, or a ledger cannot be read."""
    settings = loaded.settings
    paths = find_journals(settings.folder, ()) if settings.folder else []
    if settings.folder and not paths:
        loaded.problems.append(
            f"{settings.folder}: has no ledger of a worker; where the --output is a bucket, pass"
            " the worker's --work_folder"
        )
    loaded.raise_problems()
    try:
        accounts: list[LedgerHour] = []
        targets: list[tuple[str, ...]] = []
        for path in paths:
            with closing(open_journal(path)) as journal:
                accounts += journal.ledger()
                targets += _targets(journal)
    except OSError as error:
        return fail(str(error))
    # Wide enough for its columns, also when it is not written to a terminal.
    console = Console(highlight=False, width=100)
    console.print(_table(accounts))
    if targets:
        console.print(_right_aligned(Table("sent to", *_ENDS), targets))
    has_gap = any(account.gap for account in accounts)
    output = settings.status_output or settings.folder
    differs = settings.verify and verify_folder(output, [settings.folder])
    return FAILED if has_gap or differs else DONE


def _targets(journal: Journal) -> Iterator[tuple[str, ...]]:
    """List the targets with the rows that wait for each, and what has become of the others."""
    delivered, pending = journal.outbox.delivered(), journal.outbox.pending()
    for target in sorted(delivered.keys() | pending.keys()):
        ends = astuple(delivered.get(target, Delivered()))
        yield target, *(f"{number:,}" for number in (pending.get(target, 0), *ends))


def _table(accounts: Sequence[LedgerHour]) -> Table:
    table = Table("hour (UTC)", *_COLUMNS)
    rows = []
    for account in accounts:
        hour = f"{to_datetime(account.hour_us):%Y-%m-%d %H h}"
        rows.append((hour, *(f"{getattr(account, name):,}" for name in _COLUMNS)))
    sums = [sum(getattr(account, name) for account in accounts) for name in _COLUMNS]
    _right_aligned(table, rows)
    table.add_row("all", *(f"{number:,}" for number in sums), style="bold")
    return table


def _right_aligned(table: Table, rows: Iterable[Sequence[str]]) -> Table:
    """Add rows to a table without lines, whose numbers are right-aligned."""
    table.box, table.padding = None, (0, 2, 0, 2)
    for row in rows:
        table.add_row(*row)
    for column in table.columns[1:]:
        column.justify = "right"
    return table
