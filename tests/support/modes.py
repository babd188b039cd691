"""The modes of files and folders."""

import stat
from pathlib import Path

_FILE_MODE = 0o640
_FOLDER_MODE = 0o750


def modes_below(folder: Path) -> dict[str, int]:
    """The mode of each file and folder below a folder, by its path."""
    return {
        str(path.relative_to(folder)): stat.S_IMODE(path.lstat().st_mode)
        for path in sorted(folder.rglob("*"))
    }


def too_open(folder: Path) -> dict[str, str]:
    """The files and folders that others could read or change, each with its mode."""
    return {
        name: oct(mode)
        for name, mode in modes_below(folder).items()
        if mode & ~(_FOLDER_MODE if (folder / name).is_dir() else _FILE_MODE)
    }
