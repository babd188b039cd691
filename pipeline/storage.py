"""Files that appear whole or not at all, on disk or in a bucket."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from apache_beam.io.filesystem import BeamIOError, CompressionTypes
from apache_beam.io.filesystems import FileSystems

_MIME_TYPE = "application/octet-stream"


def join(root: str, *names: str) -> str:
    """Put a path together in the way of the root's file system."""
    path: str = FileSystems.join(root, *names)
    return path


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
    if _is_local(path):
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        _settle(temporary_path)
        Path(temporary_path).replace(target)
        _settle(str(target.parent))
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
    with _as_os_error(f"cannot look at {path}"):
        [match] = FileSystems.match([path])
        return sum(metadata.size_in_bytes for metadata in match.metadata_list)


def find(pattern: str) -> list[str]:
    """List the files that match a glob, sorted; none is no error."""
    with _as_os_error(f"cannot list {pattern}"):
        [match] = FileSystems.match([pattern])
        return sorted(metadata.path for metadata in match.metadata_list)


def remove(paths: Sequence[str]) -> None:
    """Delete files; those that are gone already are no error.

    Raises:
      OSError: a file is there and cannot be deleted.
    """
    present = [path for path in paths if FileSystems.exists(path)]
    if present:
        with _as_os_error("cannot delete"):
            FileSystems.delete(present)


def remove_folder(path: str) -> None:
    """Delete a folder and all in it; one that is gone already is no error."""
    if _is_local(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        remove(find(join(path, "**")))


@contextmanager
def _as_os_error(complaint: str) -> Iterator[None]:
    try:
        yield
    except BeamIOError as error:
        raise OSError(f"{complaint}: {error}") from error


def _is_local(path: str) -> bool:
    return "://" not in path


def _settle(path: str) -> None:
    """Have the disk keep what was written before a name promises that it is there."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
