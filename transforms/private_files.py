"""Create files and folders that nobody but their owner and its group can read.

What groundwatch writes holds what people asked, whatever the umask of the process is.
"""

import os
from pathlib import Path
from typing import IO, Literal

_FILE_MODE = 0o640
_FOLDER_MODE = 0o750


def create_file(path: str | Path, mode: Literal["wb", "ab", "xb"] = "wb") -> IO[bytes]:
    """Open a file for writing, with mode 0640 or stricter if it is new.

    Args:
      path: of a local file, in a folder that exists.
      mode: as in `open`.

    Raises:
      OSError: it cannot be written.
    """
    return open(path, mode, opener=_open)


def make_folder(path: str | Path) -> None:
    """Make a folder and those above it, with mode 0750 or stricter; existing ones stay as they are.

    Raises:
      OSError: one cannot be made, or a file has its name.
    """
    folder = Path(path)
    if folder.is_dir():
        return
    if folder.parent != folder:
        make_folder(folder.parent)
    folder.mkdir(mode=_FOLDER_MODE, exist_ok=True)


def _open(path: str, flags: int) -> int:
    return os.open(path, flags, _FILE_MODE)
