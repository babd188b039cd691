"""Print how an output folder compares with what its runs say."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from launch.terminal.exit_status import DONE, FAILED
from launch.verify.differences import KINDS, Folder, differences, sums_of

_WIDTH = 100
_MOST_LINES = 50


def show_verification(folder: Folder) -> int:
    """Print the counts side by side, and every difference.

    Args:
      folder: what was found.

    Returns:
      The exit status: 0 where nothing differs, else 1.
    """
    console = Console(highlight=False, width=_WIDTH)
    console.print(_table(folder))
    found = differences(folder)
    for line in found[:_MOST_LINES]:
        console.print(f"  {line}", soft_wrap=True, markup=False)
    if len(found) > _MOST_LINES:
        console.print(f"  and {len(found) - _MOST_LINES} more")
    if found:
        console.print(f"\n{len(found)} differences", style="bold red")
        return FAILED
    console.print("Verified: every row and record id is where the counts say.", style="green")
    return DONE


def _table(folder: Folder) -> Table:
    sums = sums_of(folder)
    table = Table("rows", *KINDS, box=None, padding=(0, 2))
    for column in table.columns[1:]:
        column.justify = "right"
    for label, counts in (
        ("written, by ledgers and summaries", sums.expected),
        ("listed in the manifest", sums.manifest),
        ("in the files", sums.files),
        ("waiting in work folders", sums.waiting),
    ):
        table.add_row(label, *_numbers(counts, KINDS))
    return table


def _numbers(counts: dict[str, int], kinds: Sequence[str]) -> list[str]:
    return [f"{counts[kind]:,}" for kind in kinds]
