"""Create files and folders that only their owner and its group can read.

The files hold users' questions, so the umask of the process must not decide who can read them.
"""

import os
from pathlib import Path
from typing import IO, Literal

_FILE_MODE = 0o640
_FOLDER_MODE = 0o750


def create_file(path: str | Path, mode: Literal["wb", "ab", "xb"] = "wb") -> IO[bytes]:
    """Open a local file for writing; a new file gets mode 0640 or stricter.

    Args:
      path: in a folder that exists.
      mode: as in `open`.

    Raises:
      OSError: it cannot be written.
    """
    return open(path, mode, opener=_open)


def make_folder(path: str | Path) -> None:
    """Create a folder and its parents with mode 0750 or stricter; existing ones keep their mode.

    Raises:
      OSError: a folder cannot be created, or a file has its name.
    """
    folder = Path(path)
    if folder.is_dir():
        return
    if folder.parent != folder:
        make_folder(folder.parent)
    folder.mkdir(mode=_FOLDER_MODE, exist_ok=True)


def _open(path: str, flags: int) -> int:
    return os.open(path, flags, _FILE_MODE)
