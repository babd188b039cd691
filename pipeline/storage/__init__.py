"""Read, write and publish files, on disk or in a bucket.

All functions raise OSError where a file is missing, or cannot be read, listed, written or deleted.
"""

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Protocol

from pipeline.storage import buckets, local_files
from pipeline.storage.local_files import fsync

__all__ = ["fsync"]


class _Store(Protocol):
    """What `local_files` and `buckets` both do."""

    def create(self, path: str) -> IO[bytes]: ...
    def read(self, path: str) -> IO[bytes]: ...
    def move_in(self, source: str, path: str, *, must_be_new: bool) -> None: ...
    def exists(self, path: str) -> bool: ...
    def version(self, path: str) -> tuple[int, int]: ...
    def checksum(self, path: str) -> str: ...
    def remove(self, path: str) -> None: ...
    def find(self, pattern: str) -> list[str]: ...
    def find_below(self, folder: str) -> list[str]: ...


class TargetExists(OSError):
    """Another file has the name of a file that is to be published."""


def is_local(path: str) -> bool:
    """Tell whether a path is on a disk of this machine."""
    return "://" not in path


def _store(path: str) -> _Store:
    return local_files if is_local(path) else buckets


def join(root: str, *names: str) -> str:
    """Join the parts of a path with the separator of the root's file system."""
    if is_local(root):
        return os.path.join(root, *names)  # noqa: PTH118 - the root stays as it was given
    return "/".join([root.rstrip("/"), *names])


def name_below(path: str, folder: str) -> str | None:
    """Return a file's path relative to a folder, None if the file is not below it.

    Links on disk are followed.
    """
    if is_local(path) and is_local(folder):
        path, folder = os.path.realpath(path), os.path.realpath(folder)
    prefix = join(folder, "")
    return path.removeprefix(prefix) if path.startswith(prefix) else None


def create(path: str) -> IO[bytes]:
    """Open a file for writing, and create its folder.

    On disk only the owner and the group can read them, whatever the umask is. An object appears
    when the stream is closed.
    """
    return _store(path).create(path)


def read(path: str) -> IO[bytes]:
    """Open a file for reading, without decompressing it."""
    return _store(path).read(path)


def publish(temporary_path: str, path: str) -> None:
    """Give a finished file its final name, and replace a file of that name.

    The file may be on any file system; a local file is uploaded to a bucket. A second call for the
    same file does nothing.
    """
    if not exists(temporary_path) and exists(path):
        return
    _store(path).move_in(temporary_path, path, must_be_new=False)


def publish_new(temporary_path: str, path: str) -> None:
    """Give a finished local file a final name that no other file has.

    A file of that name with the same content is accepted: an interrupted attempt left it.

    Raises:
      TargetExists: another file has that name; it stays as it is.
    """
    try:
        _store(path).move_in(temporary_path, path, must_be_new=True)
    except FileExistsError:
        if checksum(temporary_path) != checksum(path):
            raise TargetExists(
                f"{path} exists, and another process wrote it: it is not replaced"
            ) from None
        remove([temporary_path])


def write_whole(path: str, content: bytes, temporary_path: str) -> None:
    """Write a small file so that it appears with all its content."""
    with describing_errors(f"cannot write {path}"):
        with create(temporary_path if is_local(path) else path) as stream:
            stream.write(content)
        if is_local(path):
            publish(temporary_path, path)


def read_whole(path: str) -> bytes:
    """Read a small file."""
    with read(path) as stream:
        return stream.read()


def exists(path: str) -> bool:
    """Tell whether a file exists."""
    return _store(path).exists(path)


def version(path: str) -> tuple[int, int]:
    """Return a file's size in bytes and its last change in nanoseconds since 1970 UTC."""
    return _store(path).version(path)


def size(path: str) -> int:
    """Return a file's size in bytes."""
    return version(path)[0]


def checksum(path: str) -> str:
    """Return the CRC32C of a file's content, in base64."""
    return _store(path).checksum(path)


def find(pattern: str) -> list[str]:
    """List the files that match a glob or have it as their name, sorted.

    A name that is not UTF-8 is an OSError.
    """
    with describing_errors(f"cannot list {pattern}"):
        return _store(pattern).find(pattern)


def find_below(folder: str) -> list[str]:
    """List the files in a folder and its subfolders, sorted."""
    with describing_errors(f"cannot list {folder}"):
        return _store(folder).find_below(folder)


def distinct(paths: Iterable[str]) -> list[str]:
    """Keep one of the paths that lead to the same local file, and sort them."""
    given = set(paths)
    local = set(filter(is_local, given))
    return sorted([*local_files.distinct(local), *(given - local)])


def remove(paths: Sequence[str]) -> None:
    """Delete those of the files that exist."""
    for path in paths:
        with describing_errors(f"cannot delete {path}"):
            _store(path).remove(path)


def remove_folder(path: str) -> None:
    """Delete a folder with all its files, if it exists."""
    if is_local(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        remove(find_below(path))


def probe(path: str) -> None:
    """Check that a file can be written, and leave neither it nor a new folder behind."""
    folder = Path(path).parent
    missing = [each for each in (folder, *folder.parents) if is_local(path) and not each.exists()]
    create(path).close()
    remove([path])
    # Another process may have put a file there meanwhile.
    with suppress(OSError):
        for created in missing:
            created.rmdir()


@contextmanager
def describing_errors(problem: str) -> Iterator[None]:
    """Add what failed to an OSError, which names no file when a write or a close fails."""
    try:
        yield
    except OSError as error:
        raise OSError(f"{problem}: {error.strerror or error}") from error
