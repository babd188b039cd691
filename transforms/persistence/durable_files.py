"""Move local files so that a crash of the machine leaves the file under its old or its new name."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from groundwatch.schemas.quantities import MEGABYTE
from .private_files import create_file, make_folder

# What file systems without hard links answer.
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EMLINK})


def move_in(source: str, path: str, *, must_be_new: bool) -> None:
    """Move a file durably, across file systems too; FileExistsError if it must be new."""
    move = _rename_new if must_be_new else Path.replace
    target = Path(path)
    make_folder(target.parent)
    fsync(source)
    try:
        move(Path(source), target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _move_across(Path(source), target, move)
    fsync(str(target.parent))


def fsync(path: str) -> None:
    """Flush a file or folder to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _move_across(source: Path, target: Path, move: Callable[[Path, Path], object]) -> None:
    """Copy a file next to its target, since a rename works within one file system only."""
    copy = target.with_name(f".{target.name}.unpublished")
    with source.open("rb") as content, create_file(copy) as stream:
        shutil.copyfileobj(content, stream, MEGABYTE)
    fsync(str(copy))
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
        if error.errno not in _NO_LINKS:
            raise
        if target.exists():
            raise FileExistsError(errno.EEXIST, "File exists", str(target)) from None
        source.replace(target)
    else:
        source.unlink()
