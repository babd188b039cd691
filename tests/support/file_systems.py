"""The file systems that tests write to: memory where there is room, since a disk syncs slowly."""

import os
import shutil
import tempfile
from pathlib import Path

_MEMORY = Path("/dev/shm")  # noqa: S108 - a tmpfs is wanted
_DISK = Path("/var/tmp")  # noqa: S108 - a disk is wanted
_ROOM_BYTES = 4 * 2**30

NO_SECOND_FILE_SYSTEM = f"{_MEMORY} and {_DISK} are on the test's own one"


def write_to_memory() -> None:
    """Let temporary files be in memory, unless TMPDIR says where, or there is little room."""
    has_room = _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _ROOM_BYTES
    if has_room and os.access(_MEMORY, os.W_OK):
        os.environ.setdefault("TMPDIR", str(_MEMORY))
        tempfile.tempdir = None


def other_file_system(folder: Path) -> Path | None:
    """A folder on another file system than this one, None where there is none."""
    device = folder.stat().st_dev
    others = (each for each in (_MEMORY, _DISK) if each.is_dir() and each.stat().st_dev != device)
    return next(others, None)
