"""Create files and folders that only their owner and its group can read.

The files hold users' questions, so the umask of the process must not decide who can read them.
"""

import os
from pathlib import Path
from typing import IO, Literal

_FILE_MODE = 0o640
_FOLDER_MODE = 0o750


def create_file(path: str | Path, mode: Literal["wb", "xb"] = "wb") -> IO[bytes]:
    """Open a local file for writing; a new file gets mode 0640 or stricter."""
    return open(path, mode, opener=lambda name, flags: os.open(name, flags, _FILE_MODE))


def make_folder(path: str | Path) -> None:
    """Create a folder and its parents with mode 0750 or stricter; existing ones keep their mode."""
    folder = Path(path)
    if folder.is_dir():
        return
    if folder.parent != folder:
        make_folder(folder.parent)
    folder.mkdir(mode=_FOLDER_MODE, exist_ok=True)
