"""The file systems that tests write to, and what others answer that are mounted in production.

Tests write to memory where there is room, since a disk syncs slowly.
"""

import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

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


class Volume(NamedTuple):
    """What the calls of a file system answer: the number of an error, None where they succeed."""

    link: int | None = None
    flush_folder: int | None = None
    flush_read_only: int | None = None
    lock: int | None = None
    move_open: int | None = None
    """Of a rename from or over a file that this process has open."""

    @contextmanager
    def mounted(self, folder: Path) -> Iterator[list[str]]:
        """Let a folder be on this volume during a `with` block; yield the calls that succeeded."""
        done: list[str] = []
        calls = os.fsync, os.link, os.replace, fcntl.flock, fcntl.lockf

        def answer(call: Callable[..., Any], path: Path, error: int | None, *given: Any) -> Any:
            if path.is_relative_to(folder):
                if error is not None:
                    raise OSError(error, os.strerror(error))
                done.append(f"{call.__name__} {'folder' if path.is_dir() else 'file'}")
            return call(*given)

        def fsync(file: Any) -> Any:
            path, descriptor = _opened(file)
            is_read_only = not fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE
            error = self.flush_read_only if is_read_only else None
            error = self.flush_folder or error if path.is_dir() else error
            return answer(calls[0], path, error, file)

        def link(source: Any, target: Any) -> Any:
            return answer(calls[1], Path(target), self.link, source, target)

        def move(source: Any, target: Any) -> Any:
            held = {each.resolve() for each in Path("/proc/self/fd").iterdir()}
            is_open = not held.isdisjoint({Path(source).resolve(), Path(target).resolve()})
            return answer(
                calls[2], Path(target), self.move_open if is_open else None, source, target
            )

        def lock(call: Callable[..., Any], file: Any, how: int) -> Any:
            return answer(call, _opened(file)[0], self.lock, file, how)

        with (
            patch("os.fsync", fsync),
            patch("os.link", link),
            patch("os.replace", move),
            patch("fcntl.flock", partial(lock, calls[3])),
            patch("fcntl.lockf", partial(lock, calls[4])),
        ):
            yield done


def _opened(file: Any) -> tuple[Path, int]:
    descriptor = file if isinstance(file, int) else file.fileno()
    return Path(f"/proc/self/fd/{descriptor}").readlink(), descriptor


VOLUMES = {
    "a disk": Volume(),
    "CIFS": Volume(errno.EOPNOTSUPP, errno.EINVAL, errno.EACCES, move_open=errno.EACCES),
    "CIFS, refused by its descriptor": Volume(errno.EPERM, errno.EBADF, errno.EBADF),
    "blobfuse": Volume(errno.ENOSYS, errno.ENOSYS, move_open=errno.EBUSY),
    "gcsfuse": Volume(errno.ENOSYS, errno.EINVAL, move_open=errno.EBUSY),
    "NFS without locks": Volume(lock=errno.ENOLCK),
    "FUSE without locks": Volume(errno.ENOSYS, errno.ENOSYS, lock=errno.ENOSYS),
    "9p": Volume(errno.EPERM, errno.EINVAL, lock=errno.ENOTSUP),
}
