"""Compare an output folder with its ledgers, summary and manifest."""

from collections.abc import Sequence

from launch.terminal.exit_status import fail
from launch.verify.differences import Folder, differences
from launch.verify.reading import NothingFound, read_folder
from launch.verify.screen import show_verification
from pipeline.settings.commands import VerifySettings
from pipeline.settings.load import Loaded, UsageError

_ATTEMPTS = 3
"""A worker may publish while its files are read."""


def verify(loaded: Loaded[VerifySettings]) -> int:
    """Compare, and print the differences.

    Returns:
      0 when nothing differs, 1 when something does or a file cannot be read.

    Raises:
      UsageError: the settings have problems, or the folder has no output.
    """
    loaded.raise_problems()
    return verify_folder(loaded.settings.folder, loaded.settings.work_folders)


def verify_folder(root: str, work_folders: Sequence[str]) -> int:
    """Verify an output folder and print the result.

    Args:
      root: the output folder, local or gs://.
      work_folders: those of its workers that lie elsewhere.

    Returns:
      The exit status.

    Raises:
      UsageError: the folder has no output.
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
