"""Files on the disks of this machine."""

import base64
import errno
import fcntl
import glob
import os
import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import google_crc32c

from groundwatch.schemas.quantities import MEGABYTE
from groundwatch.transforms.persistence.durable_files import UNSUPPORTED
from groundwatch.transforms.runtime.waiting import waiting_for

_LOCK_POLL_S = 0.05
# The part ``**/`` of a pattern, or ``**`` at its end.
_ANY_FOLDERS = re.compile(r"(?:^|(?<=/))\*\*(?:/+|$)")

Identity = str | tuple[int, int]


def checksum(path: str) -> str:
    """Return the CRC32C of a file's content, in base64 as Cloud Storage writes it."""
    crc = google_crc32c.Checksum()
    with Path(path).open("rb") as stream:
        deque(crc.consume(stream, MEGABYTE), maxlen=0)
    return base64.b64encode(crc.digest()).decode()


def find(pattern: str) -> list[str]:
    """List the files that match a glob or have it as their name; OSError if one is not UTF-8."""
    names = sorted(name for name in {pattern, *match(pattern)} if Path(name).is_file())
    for name in names:
        try:
            name.encode()
        except UnicodeEncodeError:
            escaped = os.fsencode(name).decode(errors="backslashreplace")
            raise OSError(f"{escaped}: its name is not UTF-8; rename the file") from None
    return names


class NoLocks(OSError):
    """A file or folder cannot be locked by any process."""


def open_locked(
    open_path: Callable[[], int], path: str, wait_s: float, *, is_shared: bool = False
) -> int | None:
    """Open and lock a file or folder; return its descriptor, None if others hold it for so long.

    A killed process holds it for a moment longer. Its last holder may remove it, so that its name
    leads to another one, which is opened then. What is only read takes a shared lock: network file
    systems have no other for it.

    Raises:
      NoLocks: its file system has no locks.
      OSError: it cannot be opened.
    """
    lock = fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX
    deadline_s = time.monotonic() + wait_s
    descriptor = _lock_now(open_path, path, lock)
    if descriptor is None:
        with waiting_for(f"another process, which holds {path}"):
            while descriptor is None and time.monotonic() <= deadline_s:
                time.sleep(_LOCK_POLL_S)
                descriptor = _lock_now(open_path, path, lock)
    return descriptor


def _lock_now(open_path: Callable[[], int], path: str, lock: int) -> int | None:
    descriptor = open_path()
    try:
        with refusing_no_locks():
            fcntl.flock(descriptor, lock | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), Path(path).stat()):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    except OSError:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


@contextmanager
def refusing_no_locks() -> Iterator[None]:
    """Raise NoLocks where a file system answers that it has no locks."""
    try:
        yield
    except BlockingIOError:
        raise
    except OSError as error:
        if error.errno not in {*UNSUPPORTED, errno.ENOLCK}:
            raise
        raise NoLocks(f"its file system has no locks ({error.strerror})") from None


def match(pattern: str) -> set[str]:
    """Return the paths that match a glob, as `glob.glob` does; folders may be among them.

    But a link to a folder that holds the link is not followed; `glob.glob` does, without end.
    """
    if pattern.endswith("/"):
        return set()
    found = _ANY_FOLDERS.search(pattern)
    if found is None:
        return set(glob.glob(pattern))  # noqa: PTH207 - takes absolute patterns, too
    head, tail = pattern[: found.start()], pattern[found.end() :] or "*"
    roots = glob.glob(head) if head else [""]  # noqa: PTH207
    return {
        path
        for root in roots
        for folder in _folders(root)
        for path in match(os.path.join(glob.escape(folder), tail))  # noqa: PTH118 - stays as matched
    }


def distinct(paths: Iterable[str]) -> list[str]:
    """Keep the first path of those that lead to the same file, if possible through no link."""
    kept: dict[Identity, tuple[bool, str]] = {}
    for path in paths:
        has_link = os.path.realpath(path) != os.path.abspath(path)  # noqa: PTH100 - resolves no link
        which = identity(path)
        kept[which] = min((has_link, path), kept.get(which, (True, path)))
    return sorted(path for _, path in kept.values())


def identity(path: str) -> Identity:
    """Return what all paths to a file have in common; of one that is gone, its resolved path."""
    with suppress(OSError):
        status = Path(path).stat()
        # Some network file systems reuse numbers: only hard links are compared by them.
        if status.st_nlink > 1:
            return status.st_dev, status.st_ino
    return os.path.realpath(path)


def _folders(root: str) -> Iterator[str]:
    """Yield a folder and all below it but hidden ones, each once; those behind links come last."""
    folders, linked = deque([root]), deque[str]()
    seen: set[str] = set()
    while folders or linked:
        folder = (folders or linked).popleft()
        real_path = os.path.realpath(folder)
        if real_path in seen:
            continue
        seen.add(real_path)
        yield folder
        names: list[str] = []
        # A folder that cannot be listed matches nothing, as in `glob.glob`.
        with suppress(OSError):
            names = sorted(os.listdir(folder or os.curdir))  # noqa: PTH208 - stays as matched
        for name in names:
            path = os.path.join(folder, name)  # noqa: PTH118
            if name.startswith(".") or not Path(path).is_dir():
                continue
            if not Path(path).is_symlink():
                folders.append(path)
            elif not Path(real_path).is_relative_to(os.path.realpath(path)):
                linked.append(path)
