"""`groundwatch status`: what became of the messages that a worker read."""

import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime

from rich.console import Console
from rich.table import Table

from launch.command_help import wants_help
from launch.commands.verify import verify
from launch.flags import UsageError, read_all_flags, split_folder
from launch.terminal.exit_status import DONE, FAILED, fail
from launch.verify.reading import find_journals
from launch.watch.durable.journal import Journal
from launch.watch.durable.ledger import LedgerHour
from pipeline.option import Option
from schemas.quantities import SECOND_US

_VERIFY = Option(
    name="verify",
    meaning="also compare the ledger with the rows and record ids in the output's files",
    is_switch=True,
)
_OUTPUT = Option(
    name="output", meaning="with --verify: the worker's --output, where DIR is its --work_folder"
)
_HELP = """usage: groundwatch status DIR [--verify [--output OUT]]

Print the ledger of `groundwatch watch`: for each hour, what was read and where it ended.
DIR is the worker's --output, or its --work_folder. With --verify the ledger is compared with the
rows and record ids in the files, as `groundwatch verify` does; where DIR is a work folder, OUT is
the worker's --output. The status is 1 when an hour does not add up, or something differs.
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
    folder, others = split_folder(arguments, (_VERIFY, _OUTPUT))
    values, problems = read_all_flags(others, (_VERIFY, _OUTPUT))
    if folder is None or problems:
        raise UsageError([*problems, "name one folder: the --output of `groundwatch watch`"])
    paths = find_journals(folder, ())
    if not paths:
        hint = "where the --output is a bucket, name the worker's --work_folder"
        raise UsageError([f"{folder}: no worker has kept a ledger there; {hint}"])
    try:
        accounts = [account for path in paths for account in _ledger(path)]
    except OSError as error:
        return fail(str(error))
    # Wide enough for its columns, wherever it is written to.
    Console(highlight=False, width=100).print(_table(accounts))
    if values["verify"]:
        verified = verify(values["output"] or folder, [folder])
        return FAILED if verified or any(account.gap for account in accounts) else DONE
    return FAILED if any(account.gap for account in accounts) else DONE


def _ledger(path: str) -> list[LedgerHour]:
    with closing(Journal(path)) as journal:
        return journal.ledger()


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
