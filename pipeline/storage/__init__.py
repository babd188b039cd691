"""Read, write and publish files, on disk or in a bucket.

All functions raise OSError where a file is missing, or cannot be read, listed, written or deleted.
"""

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, Any, cast

from groundwatch.transforms.persistence import durable_files
from groundwatch.transforms.persistence.private_files import create_file, make_folder
from . import local_files


class TargetExists(OSError):
    """Another file has the name of a file that is to be published."""

    def __init__(self, path: str) -> None:
        # The path is the argument, from which another process makes the error again.
        super().__init__(path)
        self.path = path

    def __str__(self) -> str:
        return (
            f"{self.path} exists, and another process wrote it: it is not replaced; move it away,"
            " and start again"
        )


def _buckets() -> Any:
    """Import the module for buckets: Beam and Google's client start slowly."""
    from . import buckets  # noqa: PLC0415

    return buckets


def is_local(path: str) -> bool:
    """Return whether a path is on a disk of this machine."""
    return "://" not in path


def join(root: str, *names: str) -> str:
    """Join the parts of a path with the separator of the root's file system."""
    if is_local(root):
        return os.path.join(root, *names)  # noqa: PTH118 - the root stays as it was given
    return "/".join([root.rstrip("/"), *names])


def name_below(path: str, folder: str) -> str | None:
    """Return a file's path relative to a folder, None if it is not below it; follow links."""
    if is_local(path) and is_local(folder):
        path, folder = os.path.realpath(path), os.path.realpath(folder)
    prefix = join(folder, "")
    return path.removeprefix(prefix) if path.startswith(prefix) else None


def create(path: str) -> IO[bytes]:
    """Open a file that only owner and group can read, or an object that appears on closing it."""
    if is_local(path):
        make_folder(Path(path).parent)
    return create_file(path) if is_local(path) else _buckets().create(path)


def read(path: str) -> IO[bytes]:
    """Open a file for reading, without decompressing it."""
    return Path(path).open("rb") if is_local(path) else _buckets().read(path)


def read_ahead(path: str) -> "BufferedReader[RawIOBase]":
    """Open a file for reading, with a buffer that shows what comes next."""
    return BufferedReader(cast("RawIOBase", read(path)))


def publish(temporary_path: str, path: str) -> None:
    """Give a finished file its final name, and replace another file; do nothing a second time."""
    if exists(temporary_path) or not exists(path):
        _move_in(temporary_path, path, must_be_new=False)


def publish_new(temporary_path: str, path: str) -> None:
    """Give a local file its final name; TargetExists if a file of other content has it."""
    try:
        _move_in(temporary_path, path, must_be_new=True)
    except FileExistsError:
        if checksum(temporary_path) != checksum(path):
            raise TargetExists(path) from None
        remove([temporary_path])


def _move_in(temporary_path: str, path: str, *, must_be_new: bool) -> None:
    files = durable_files if is_local(path) else _buckets()
    files.move_in(temporary_path, path, must_be_new=must_be_new)


def unshared_path(path: str) -> str:
    """Return a new hidden name beside a path, for a file that several processes may write at once.

    Nobody removes it after a kill.
    """
    return _beside(path, f"-{secrets.token_hex(4)}")


def _beside(path: str, ending: str) -> str:
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}.groundwatch-{name}{ending}"


@contextmanager
def replacing(path: str, temporary_path: str | None = None) -> Iterator[IO[bytes]]:
    """Write a file under a temporary name while a `with` block lasts, and publish it at its end.

    The name is by default a hidden one beside the path, which is the same each time: what a killed
    process has left there is replaced. An error leaves an earlier file.
    """
    temporary_path = temporary_path or _beside(path, "")
    try:
        with create(temporary_path) as stream:
            yield stream
        publish(temporary_path, path)
    except BaseException:
        remove([temporary_path])
        raise


def write_whole(path: str, content: bytes, temporary_path: str | None = None) -> None:
    """Write a small file so that a reader sees its earlier content, or all of the new.

    A local file is written under a temporary name first, by default a hidden one beside it.
    """
    with describing_errors(f"cannot write {path}"):
        opened = replacing(path, temporary_path) if is_local(path) else create(path)
        with opened as stream:
            stream.write(content)


def read_whole(path: str) -> bytes:
    """Read a small file."""
    with read(path) as stream:
        return stream.read()


def exists(path: str) -> bool:
    """Return whether a file exists."""
    return Path(path).exists() if is_local(path) else _buckets().exists(path)


def version(path: str) -> tuple[int, int]:
    """Return a file's size in bytes and its last change in nanoseconds since 1970 UTC."""
    if is_local(path):
        status = Path(path).stat()
        return status.st_size, status.st_mtime_ns
    size_bytes, changed_ns = _buckets().version(path)
    return size_bytes, changed_ns


def size(path: str) -> int:
    """Return a file's size in bytes."""
    return version(path)[0]


def checksum(path: str) -> str:
    """Return the CRC32C of a file's content, in base64."""
    return local_files.checksum(path) if is_local(path) else _buckets().checksum(path)


def find(pattern: str) -> list[str]:
    """List the files that match a glob or have it as their name, sorted."""
    with describing_errors(f"cannot list {pattern}"):
        return local_files.find(pattern) if is_local(pattern) else _buckets().find(pattern)


def find_below(folder: str) -> list[str]:
    """List the files in a folder and its subfolders, sorted."""
    with describing_errors(f"cannot list {folder}"):
        if not is_local(folder):
            return sorted(_buckets().find_below(folder))
        walked = os.walk(folder)
        return sorted(os.path.join(path, name) for path, _, names in walked for name in names)  # noqa: PTH118


def find_visible(folder: str, extension: str) -> list[str]:
    """List the files below a folder that have an extension, without hidden ones, sorted."""
    found = (path for path in find_below(folder) if path.endswith(extension))
    return [path for path in found if "/." not in path.removeprefix(folder)]


def distinct(paths: Iterable[str]) -> list[str]:
    """Keep one of the paths that lead to the same local file, and sort them."""
    given = set(paths)
    local = set(filter(is_local, given))
    return sorted([*local_files.distinct(local), *(given - local)])


def identify(paths: Iterable[str]) -> dict[local_files.Identity, str]:
    """Map what all paths to a file have in common to the path that was given."""
    return {local_files.identity(path) if is_local(path) else path: path for path in paths}


def resolve(path: str) -> str:
    """Return the absolute path through no link but a file's own, whose name says what it holds."""
    if not is_local(path):
        return path
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder), name)  # noqa: PTH118


def remove(paths: Sequence[str]) -> None:
    """Delete those of the files that exist."""
    for path in paths:
        with describing_errors(f"cannot delete {path}"):
            if is_local(path):
                Path(path).unlink(missing_ok=True)
            else:
                _buckets().remove(path)


def remove_folder(path: str) -> None:
    """Delete a folder with all its files, if it exists."""
    if is_local(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        remove(find_below(path))


def probe(path: str) -> None:
    """Check that a file can be written, and leave nothing behind."""
    if is_local(path):
        # Without the missing folders: another process may be about to write there.
        folder = next(each for each in Path(path).parents if each.exists())
        tempfile.TemporaryFile(dir=folder).close()
    else:
        create(path).close()
        remove([path])


@contextmanager
def describing_errors(problem: str) -> Iterator[None]:
    """Add what failed to an OSError, which names no file when a write or a close fails."""
    try:
        yield
    except OSError as error:
        raise OSError(f"{problem}: {error.strerror or error}") from error
