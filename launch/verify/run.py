"""Compare an output folder with its ledgers, summary and manifest."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from launch.terminal.exit_status import DONE, FAILED, fail
from launch.verify.differences import KINDS, Folder, differences, row_counts
from launch.verify.reading import NothingFound, read_folder
from pipeline.settings.commands import VerifySettings
from pipeline.settings.load import Loaded, UsageError

_ATTEMPTS = 3
"""A worker may publish while its files are read."""

_WIDTH = 100
_MAX_LINES = 50


def verify(loaded: Loaded[VerifySettings]) -> int:
    """Compare, and print the differences; return 0 if there are none, else 1."""
    loaded.raise_problems()
    return verify_folder(loaded.settings.folder, loaded.settings.work_folders)


def verify_folder(root: str, work_folders: Sequence[str]) -> int:
    """Verify an output folder, given work folders elsewhere; print the result."""
    try:
        folder = _read_at_rest(root, work_folders)
    except NothingFound as error:
        raise UsageError([str(error)]) from None
    except OSError as error:
        return fail(f"cannot verify {root}: {error}")
    console = Console(highlight=False, width=_WIDTH)
    table = Table("rows", *KINDS, box=None, padding=(0, 2))
    for column in table.columns[1:]:
        column.justify = "right"
    for place, counts in row_counts(folder).items():
        table.add_row(place, *(f"{counts[kind]:,}" for kind in KINDS))
    console.print(table)
    found = differences(folder)
    for line in found[:_MAX_LINES]:
        console.print(f"  {line}", soft_wrap=True, markup=False)
    if len(found) > _MAX_LINES:
        console.print(f"  and {len(found) - _MAX_LINES} more")
    if found:
        console.print(f"\n{len(found)} differences", style="bold red")
        return FAILED
    console.print("Verified: every row and record id is where the counts say.", style="green")
    return DONE


def _read_at_rest(root: str, work_folders: Sequence[str]) -> Folder:
    """Read a folder again where it differs, since a worker may have published meanwhile."""
    folder = read_folder(root, work_folders)
    for _ in range(_ATTEMPTS - 1):
        before = folder
        if not differences(before) or (folder := read_folder(root, work_folders)) == before:
            break
    return folder
