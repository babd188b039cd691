"""Files that appear whole or not at all, on disk or in a bucket."""

import glob
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from apache_beam.io.filesystem import CompressionTypes
from apache_beam.io.filesystems import FileSystems

_MIME_TYPE = "application/octet-stream"


def join(root: str, *names: str) -> str:
    """Put a path together in the way of the root's file system."""
    path: str = FileSystems.join(root, *names)
    return path


def is_local(path: str) -> bool:
    """Tell whether a path is on a disk of this machine."""
    return "://" not in path


def create(path: str) -> IO[bytes]:
    """Open a file for writing, making its folder where there are folders.

    Raises:
      OSError: it cannot be written.
    """
    stream: IO[bytes] = FileSystems.create(
        path, mime_type=_MIME_TYPE, compression_type=CompressionTypes.UNCOMPRESSED
    )
    return stream


def read(path: str) -> IO[bytes]:
    """Open a file for reading, as it is, packed or not.

    Raises:
      OSError: it is not there or cannot be read.
    """
    stream: IO[bytes] = FileSystems.open(path, compression_type=CompressionTypes.UNCOMPRESSED)
    return stream


def publish(temporary_path: str, path: str) -> None:
    """Give a finished file its name, replacing what had it; doing so twice is harmless.

    Raises:
      OSError: it cannot be renamed, or is not there under either name.
    """
    if not FileSystems.exists(temporary_path) and FileSystems.exists(path):
        return
    if is_local(path):
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        settle(temporary_path)
        Path(temporary_path).replace(target)
        settle(str(target.parent))
    else:
        FileSystems.rename([temporary_path], [path])


def write_whole(path: str, content: bytes, temporary_path: str) -> None:
    """Write a small file under a temporary name, then publish it.

    Raises:
      OSError: it cannot be written.
    """
    with create(temporary_path) as stream:
        stream.write(content)
    publish(temporary_path, path)


def read_whole(path: str) -> bytes:
    """Read a small file.

    Raises:
      OSError: it is not there or cannot be read.
    """
    with read(path) as stream:
        return stream.read()


def size(path: str) -> int:
    """How many bytes a file has.

    Raises:
      OSError: it is not there.
    """
    if is_local(path):
        return Path(path).stat().st_size
    with telling(f"cannot look at {path}"):
        [match] = FileSystems.match([path])
        return sum(metadata.size_in_bytes for metadata in match.metadata_list)


def changed_at_ns(path: str) -> int:
    """When a file was last written, nanoseconds since 1970 UTC; 0 where nobody knows.

    Raises:
      OSError: it is not there.
    """
    if is_local(path):
        return Path(path).stat().st_mtime_ns
    with telling(f"cannot look at {path}"):
        return int(FileSystems.last_updated(path) * 1e9)


def find(pattern: str) -> list[str]:
    """List the files that match a glob, or are called by it, sorted; none is no error.

    Raises:
      OSError: it cannot be told.
    """
    if is_local(pattern):
        # Beam finds nothing where a pattern begins with its first wildcard.
        names = glob.glob(pattern, recursive=True)  # noqa: PTH207 - takes absolute patterns, too
        return sorted(name for name in {pattern, *names} if Path(name).is_file())
    with telling(f"cannot list {pattern}"):
        [match] = FileSystems.match([pattern])
        return sorted(metadata.path for metadata in match.metadata_list)


def find_below(folder: str) -> list[str]:
    """List the files in a folder and its folders, sorted; none is no error.

    Raises:
      OSError: it cannot be told.
    """
    if is_local(folder):
        return sorted(join(path, name) for path, _, names in os.walk(folder) for name in names)
    return find(join(folder, "**"))


def remove(paths: Sequence[str]) -> None:
    """Delete files; those that are gone already are no error.

    Raises:
      OSError: a file is there and cannot be deleted.
    """
    for path in paths:
        # Beam would take the path of a local file for a glob.
        if is_local(path):
            Path(path).unlink(missing_ok=True)
        elif FileSystems.exists(path):
            with telling(f"cannot delete {path}"):
                FileSystems.delete([path])


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
