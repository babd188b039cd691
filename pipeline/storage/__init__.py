"""Files that appear whole or not at all, on disk or in a bucket."""

import errno
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from pipeline.storage import buckets, local_files
from schemas.quantities import MEGABYTE
from transforms.persistence.private_files import create_file, make_folder

_COPY_BYTES = MEGABYTE
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EMLINK})
"""What file systems without hard links answer."""


def join(root: str, *names: str) -> str:
    """Put a path together in the way of the root's file system."""
    if is_local(root):
        return os.path.join(root, *names)  # noqa: PTH118 - the root stays as it was given
    return "/".join([root.rstrip("/"), *names])


def is_local(path: str) -> bool:
    """Tell whether a path is on a disk of this machine."""
    return "://" not in path


def name_below(path: str, folder: str) -> str | None:
    """Return a file's path relative to a folder, None if it is not below it.

    Args:
      path: of a file.
      folder: on the same file system; links on disk are followed.
    """
    if is_local(path) and is_local(folder):
        path, folder = os.path.realpath(path), os.path.realpath(folder)
    prefix = join(folder, "")
    return path.removeprefix(prefix) if path.startswith(prefix) else None


def create(path: str) -> IO[bytes]:
    """Open a file for writing, making its folder where there are folders.

    On disk both can be read by their owner and its group alone, whatever the umask is.

    Raises:
      OSError: it cannot be written.
    """
    if not is_local(path):
        return buckets.create(path)
    make_folder(Path(path).parent)
    return create_file(path)


def read(path: str) -> IO[bytes]:
    """Open a file for reading, as it is, compressed or not.

    Raises:
      OSError: it is not there or cannot be read.
    """
    return Path(path).open("rb") if is_local(path) else buckets.read(path)


class TargetExists(OSError):
    """A file of another content stands under the name of a file that is to be published."""


def publish(temporary_path: str, path: str) -> None:
    """Give a finished file its final name, replacing what had it; doing so twice is harmless.

    Args:
      temporary_path: where it is; on disk for a file of a bucket, too, which is then uploaded. It
        may be on another file system than its final name.
      path: its final name.

    Raises:
      OSError: it cannot be renamed, or is not there under either name.
    """
    if not exists(temporary_path) and exists(path):
        return
    if is_local(path):
        _move_on_disk(temporary_path, path, _replace)
    else:
        _move_to_bucket(temporary_path, path)


def publish_new(temporary_path: str, path: str) -> None:
    """Give a finished file a final name that is free; an equal file under that name is accepted.

    An equal file is what an interrupted attempt at the same publication left.

    Args:
      temporary_path: a local file.
      path: its final name.

    Raises:
      TargetExists: another file has that name; it stays as it is.
      OSError: the file cannot be written.
    """
    try:
        if is_local(path):
            _move_on_disk(temporary_path, path, _link)
        else:
            _move_to_bucket(temporary_path, path, must_be_new=True)
    except FileExistsError:
        if not _have_equal_content(temporary_path, path):
            raise TargetExists(
                f"{path} exists, and something else wrote it: it is not replaced"
            ) from None
        remove([temporary_path])


def write_whole(path: str, content: bytes, temporary_path: str) -> None:
    """Write a small file so that it appears whole, on disk by way of a temporary name.

    Raises:
      OSError: it cannot be written.
    """
    with telling(f"cannot write {path}"):
        with create(temporary_path if is_local(path) else path) as stream:
            stream.write(content)
        if is_local(path):
            publish(temporary_path, path)


def read_whole(path: str) -> bytes:
    """Read a small file.

    Raises:
      OSError: it is not there or cannot be read.
    """
    with read(path) as stream:
        return stream.read()


def exists(path: str) -> bool:
    """Tell whether a file is there.

    Raises:
      OSError: it cannot be told.
    """
    return Path(path).exists() if is_local(path) else buckets.exists(path)


def size(path: str) -> int:
    """How many bytes a file has.

    Raises:
      OSError: it is not there.
    """
    return Path(path).stat().st_size if is_local(path) else buckets.size(path)


def checksum(path: str) -> str:
    """Return the CRC32C of a file's content, in base64.

    Raises:
      OSError: it is not there or cannot be read.
    """
    return buckets.checksum_of_file(path) if is_local(path) else buckets.checksum(path)


def changed_at_ns(path: str) -> int:
    """When a file was last written, nanoseconds since 1970 UTC; 0 where nobody knows.

    Raises:
      OSError: it is not there.
    """
    if is_local(path):
        return Path(path).stat().st_mtime_ns
    return buckets.changed_at_ns(path)


def version(path: str) -> tuple[int, int]:
    """Return the size of a file in bytes, and when it was last written; see `changed_at_ns`.

    Raises:
      OSError: it is not there.
    """
    return size(path), changed_at_ns(path)


def find(pattern: str) -> list[str]:
    """List the files that match a glob, or are called by it, sorted; none is no error.

    Raises:
      OSError: it cannot be told, or a file's name is no text, so that no record could name it.
    """
    if is_local(pattern):
        names = {pattern, *local_files.match(pattern)}
        return sorted(_text_of(name) for name in names if Path(name).is_file())
    with telling(f"cannot list {pattern}"):
        return buckets.find(pattern)


def distinct(paths: Iterable[str]) -> list[str]:
    """Keep one path of those that lead to the same local file, and sort them.

    Raises:
      OSError: a local file does not exist.
    """
    given = set(paths)
    local = set(filter(is_local, given))
    return sorted([*local_files.distinct(local), *(given - local)])


def find_below(folder: str) -> list[str]:
    """List the files in a folder and its folders, sorted; none is no error.

    Raises:
      OSError: it cannot be told.
    """
    if is_local(folder):
        return sorted(join(path, name) for path, _, names in os.walk(folder) for name in names)
    with telling(f"cannot list {folder}"):
        return buckets.find_beginning(join(folder, ""))


def remove(paths: Sequence[str]) -> None:
    """Delete files; those that are gone already are no error.

    Raises:
      OSError: a file is there and cannot be deleted.
    """
    for path in paths:
        if is_local(path):
            Path(path).unlink(missing_ok=True)
        else:
            with telling(f"cannot delete {path}"):
                buckets.remove(path)


def probe(path: str) -> None:
    """See whether a file can be written, leaving neither it nor a folder made for it.

    Raises:
      OSError: it cannot.
    """
    folder = Path(path).parent
    missing = [each for each in (folder, *folder.parents) if is_local(path) and not each.exists()]
    create(path).close()
    remove([path])
    # Somebody else may have put something there meanwhile.
    with suppress(OSError):
        for made in missing:
            made.rmdir()


def remove_folder(path: str) -> None:
    """Delete a folder and all in it; one that is gone already is no error.

    Raises:
      OSError: a bucket's file is there and cannot be deleted.
    """
    if is_local(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        remove(find_below(path))


@contextmanager
def telling(complaint: str) -> Iterator[None]:
    """Say what could not be done: an OSError names no file where a write or a close fails."""
    try:
        yield
    except OSError as error:
        raise OSError(f"{complaint}: {error.strerror or error}") from error


def settle(path: str) -> None:
    """Have the disk keep what was written to a local file or folder.

    Raises:
      OSError: it is not there or cannot be written.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _text_of(name: str) -> str:
    try:
        name.encode()
    except UnicodeEncodeError:
        spelt_out = os.fsencode(name).decode(errors="backslashreplace")
        raise OSError(f"{spelt_out}: its name is no UTF-8; rename the file") from None
    return name


def _move_on_disk(source: str, path: str, move: Callable[[Path, Path], None]) -> None:
    """Move a file and make the move durable, by way of a copy where file systems differ."""
    target = Path(path)
    make_folder(target.parent)
    settle(source)
    try:
        move(Path(source), target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        # A rename works within one file system only.
        copy = target.with_name(f".{target.name}.unpublished")
        with read(source) as content, create_file(copy) as stream:
            shutil.copyfileobj(content, stream, _COPY_BYTES)
        settle(str(copy))
        try:
            move(copy, target)
        except FileExistsError:
            copy.unlink()
            raise
        Path(source).unlink()
    settle(str(target.parent))


def _replace(source: Path, target: Path) -> None:
    source.replace(target)


def _link(source: Path, target: Path) -> None:
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


def _have_equal_content(first: str, second: str) -> bool:
    return checksum(first) == checksum(second)


def _move_to_bucket(source: str, path: str, *, must_be_new: bool = False) -> None:
    """An object is there at once and whole, so that it needs no other name before."""
    try:
        if is_local(source):
            with read(source) as content, buckets.create(path, must_be_new=must_be_new) as stream:
                shutil.copyfileobj(content, stream, _COPY_BYTES)
        else:
            buckets.copy(source, path)
    except FileExistsError:
        raise
    except OSError as error:
        raise OSError(f"cannot write {path}: {error.strerror or error}") from error
    remove([source])
