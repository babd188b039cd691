"""Print the ledger of a worker, and verify its output."""

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime

from rich.console import Console
from rich.table import Table

from launch.terminal.exit_status import DONE, FAILED, fail
from launch.verify.verify_folder import find_journals, verify_folder
from launch.watch.durable.journal import Journal
from launch.watch.durable.ledger import LedgerHour
from pipeline.settings.commands import StatusSettings
from pipeline.settings.load import Loaded
from schemas.quantities import SECOND_US

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
        accounts = []
        for path in paths:
            with closing(Journal(path)) as journal:
                accounts += journal.ledger()
    except OSError as error:
        return fail(str(error))
    # Wide enough for its columns, also when it is not written to a terminal.
    Console(highlight=False, width=100).print(_table(accounts))
    has_gap = any(account.gap for account in accounts)
    output = settings.status_output or settings.folder
    differs = settings.verify and verify_folder(output, [settings.folder])
    return FAILED if has_gap or differs else DONE


def _table(accounts: Sequence[LedgerHour]) -> Table:
    table = Table("hour (UTC)", *_COLUMNS, box=None, padding=(0, 2))
    for account in accounts:
        hour = datetime.fromtimestamp(account.hour_us / SECOND_US, UTC).strftime("%Y-%m-%d %H h")
        table.add_row(hour, *(f"{getattr(account, name):,}" for name in _COLUMNS))
    sums = [sum(getattr(account, name) for account in accounts) for name in _COLUMNS]
    table.add_row("all", *(f"{number:,}" for number in sums), style="bold")
    for column in table.columns[1:]:
        column.justify = "right"
    return table
