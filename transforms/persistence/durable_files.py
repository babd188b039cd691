"""Move local files so that a crash of the machine leaves the file under its old or its new name."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from groundwatch.schemas.quantities import MEGABYTE
from .private_files import create_file, make_folder

UNSUPPORTED = frozenset(
    {errno.EPERM, errno.EACCES, errno.EBADF, errno.EINVAL, errno.ENOSYS, errno.ENOTSUP}
)
"""What network and FUSE file systems answer to calls that they do not have."""


def move_in(source: str, path: str, *, must_be_new: bool) -> None:
    """Move a file durably, across file systems too; FileExistsError if it must be new."""
    move = _rename_new if must_be_new else Path.replace
    target = Path(path)
    make_folder(target.parent)
    _fsync_file(source)
    try:
        move(Path(source), target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _move_across(Path(source), target, move)
    # Where a folder cannot be flushed, its names are the server's.
    _fsync(target.parent)


def _fsync(path: str | Path, flags: int = os.O_RDONLY) -> bool:
    """Flush a file or folder to the disk; return whether its file system can do that."""
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise
        return False
    finally:
        os.close(descriptor)
    return True


def _fsync_file(path: str | Path) -> None:
    # CIFS flushes only what is open for writing.
    if not (_fsync(path) or _fsync(path, os.O_RDWR)):
        raise OSError(
            f"{path} cannot be flushed to its disk, so that a power failure would lose it: choose a"
            " folder on another file system"
        )


def _move_across(source: Path, target: Path, move: Callable[[Path, Path], object]) -> None:
    """Copy a file next to its target, since a rename works within one file system only."""
    copy = target.with_name(f".{target.name}.unpublished")
    with source.open("rb") as content, create_file(copy) as stream:
        shutil.copyfileobj(content, stream, MEGABYTE)
    _fsync_file(copy)
    try:
        move(copy, target)
    except FileExistsError:
        copy.unlink()
        raise
    source.unlink()


def _rename_new(source: Path, target: Path) -> None:
    """Rename a file unless its new name is taken, which no rename of POSIX can do."""
    try:
        target.hardlink_to(source)
    except OSError as error:
        if error.errno not in {*UNSUPPORTED, errno.EMLINK}:
            raise
        if target.exists():
            raise FileExistsError(errno.EEXIST, "File exists", str(target)) from None
        source.replace(target)
    else:
        source.unlink()
