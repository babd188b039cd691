"""`groundwatch status`: what became of the messages that a worker read."""

import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

from launch.command_help import wants_help
from launch.exit_status import DONE, FAILED, fail
from launch.flags import UsageError
from launch.watch.account import Account
from launch.watch.journal import Journal
from schemas.units import SECOND_US

_HELP = """usage: groundwatch status DIR

Print the ledger of `groundwatch watch`: for each hour, what was read and where it ended.
DIR is the worker's --output, or its --work_folder. The status is 1 when an hour does not close.
"""
_COLUMNS = ("read", "enriched", "failures", "duplicates", "sampled_out", "gap")


def run(arguments: Sequence[str]) -> int:
    """Print the ledger.

    Returns:
      0 when every hour closes, 1 when one does not, or a ledger cannot be read.

    Raises:
      UsageError: there is no ledger.
    """
    if wants_help(arguments):
        sys.stdout.write(_HELP)
        return DONE
    if len(arguments) != 1:
        raise UsageError(["name one folder: the --output of `groundwatch watch`"])
    paths = _journals(arguments[0])
    try:
        accounts = [account for path in paths for account in _ledger(path)]
    except OSError as error:
        return fail(str(error))
    # Wide enough for its columns, wherever it is written to.
    Console(highlight=False, width=100).print(_table(accounts))
    return FAILED if any(account.gap for account in accounts) else DONE


def _journals(folder: str) -> list[Path]:
    root = Path(folder)
    found = sorted([*root.glob("journal.sqlite"), *root.glob(".groundwatch-*/journal.sqlite")])
    if not found:
        hint = "where the --output is a bucket, name the worker's --work_folder"
        raise UsageError([f"{folder}: no worker has kept a ledger there; {hint}"])
    return found


def _ledger(path: Path) -> list[Account]:
    with closing(Journal(str(path))) as journal:
        return journal.ledger()


def _table(accounts: Sequence[Account]) -> Table:
    table = Table("hour (UTC)", *_COLUMNS, box=None, padding=(0, 2))
    for account in accounts:
        hour = datetime.fromtimestamp(account.hour_us / SECOND_US, UTC).strftime("%Y-%m-%d %H h")
        table.add_row(hour, *(f"{getattr(account, name):,}" for name in _COLUMNS))
    sums = [sum(getattr(account, name) for account in accounts) for name in _COLUMNS]
    table.add_row("all", *(f"{number:,}" for number in sums), style="bold")
    for column in table.columns[1:]:
        column.justify = "right"
    return table
