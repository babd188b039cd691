"""`groundwatch verify DIR`: compare an output folder with what its runs say."""

import sys
from collections.abc import Sequence

from launch.command_help import wants_help
from launch.flags import UsageError, read_all_flags, split_folder
from launch.terminal.exit_status import DONE, fail
from launch.verify.differences import Folder, differences
from launch.verify.reading import NothingFound, read_folder
from launch.verify.screen import show_verification
from pipeline.option import Option

WORK_FOLDERS = Option(
    name="work_folder",
    meaning="work folders of workers that are not below DIR",
    takes_many=True,
)
_HELP = """usage: groundwatch verify DIR [--work_folder W ...]

Compare the ledgers and summaries of an output folder with its manifest, and with the rows and the
record ids that are in its files. DIR is an --output, local or gs://. The ledgers of workers are
looked for below DIR, and in each W.
The status is 0 when nothing differs, 1 when something does, and each difference is printed.
"""
_ATTEMPTS = 3
"""A worker may publish while its files are read."""


def run(arguments: Sequence[str]) -> int:
    """Compare, and print what differs.

    Returns:
      0 when nothing differs, 1 when something does or a file cannot be read.

    Raises:
      UsageError: there is no output.
    """
    if wants_help(arguments):
        sys.stdout.write(_HELP)
        return DONE
    folder, others = split_folder(arguments, (WORK_FOLDERS,))
    values, problems = read_all_flags(others, (WORK_FOLDERS,))
    if folder is None:
        problems.append("the folder is missing: groundwatch verify DIR")
    if problems or folder is None:
        raise UsageError(problems)
    return verify(folder, values["work_folder"])


def verify(root: str, work_folders: Sequence[str]) -> int:
    """Verify an output folder and print the result.

    Args:
      root: the output folder, local or gs://.
      work_folders: those of its workers that lie elsewhere.

    Returns:
      The exit status.

    Raises:
      UsageError: there is no output.
    """
    try:
        return show_verification(_read_at_rest(root, work_folders))
    except NothingFound as error:
        raise UsageError([str(error)]) from None
    except OSError as error:
        return fail(f"cannot verify {root}: {error}")


def _read_at_rest(root: str, work_folders: Sequence[str]) -> Folder:
    """Read a folder again where it differs, since a worker may have published meanwhile."""
    folder = read_folder(root, work_folders)
    for _ in range(_ATTEMPTS - 1):
        if not differences(folder):
            break
        again = read_folder(root, work_folders)
        if again == folder:
            break
        folder = again
    return folder
