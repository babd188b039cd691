"""Files in Cloud Storage: what `storage` does where a path is not on disk.

On Beam's client of it rather than on its FileSystems, which take a path that is to be deleted for
a glob, know no hidden files, and open a connection for every call.
"""

import base64
import errno
import io
import logging
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import cache
from http import HTTPStatus
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, Self, cast

import google.auth
import google_crc32c
from apache_beam.io.gcp.gcsio import GcsIO, create_storage_client
from apache_beam.options.pipeline_options import PipelineOptions
from google.api_core.exceptions import GoogleAPICallError, RetryError
from google.auth.exceptions import DefaultCredentialsError, GoogleAuthError
from google.cloud.storage.exceptions import InvalidResponse

from schemas.quantities import MEGABYTE

_NUMBERS: Mapping[Any, int] = MappingProxyType(
    {
        HTTPStatus.UNAUTHORIZED: errno.EACCES,
        HTTPStatus.FORBIDDEN: errno.EACCES,
        HTTPStatus.NOT_FOUND: errno.ENOENT,
        HTTPStatus.PRECONDITION_FAILED: errno.EEXIST,
    }
)


@contextmanager
def as_os_errors(path: str) -> Iterator[None]:
    """Have whatever Google's client raises come out as an OSError on a path.

    Raises:
      OSError: FileNotFoundError for what is not there, PermissionError for what is not allowed.
        Its strerror says what the service said, never an address, which may let anyone upload.
    """
    try:
        yield
    except Exception as error:
        cause = _cause(error)
        raise OSError(_number(cause), _reason(cause), path) from error


def _cause(error: BaseException) -> BaseException:
    """Find what the last of several tries met."""
    return error.cause if isinstance(error, RetryError) and error.cause else error


def _number(error: BaseException) -> int:
    if isinstance(error, GoogleAuthError):
        return errno.EACCES
    return _NUMBERS.get(_status(error), errno.EIO)


def _status(error: BaseException) -> Any:
    if isinstance(error, InvalidResponse):
        return error.response.status_code
    return error.code if isinstance(error, GoogleAPICallError) else None


def _reason(error: BaseException) -> str:
    if isinstance(error, InvalidResponse | GoogleAPICallError):
        return f"{_status(error):d} {_told(error)}".rstrip()
    if isinstance(error, GoogleAuthError):
        return f"no credentials that Cloud Storage accepts ({type(error).__name__})"
    return f"no usable answer from Cloud Storage ({type(error).__name__})"


def _told(error: Any) -> str:
    """What the service said, in Google's JSON of errors."""
    try:
        return str(error.response.json()["error"]["message"])
    except (AttributeError, KeyError, TypeError, ValueError):
        return ""


class Download(io.RawIOBase):
    """An object that is read.

    Args:
      reader: Google's stream.
      path: for what is wrong.
    """

    def __init__(self, reader: Any, path: str) -> None:
        super().__init__()
        self._reader = reader
        self._path = path

    def readable(self) -> bool:
        """It is."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Read so many bytes, or all that are left."""
        with as_os_errors(self._path):
            content: bytes = self._reader.read(size)
            return content

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer; returns how many bytes."""
        content = self.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def tell(self) -> int:
        """How many bytes have been read."""
        position: int = self._reader.tell()
        return position

    def close(self) -> None:
        """Let go of it."""
        self._reader.close()
        super().close()


class Upload(io.RawIOBase):
    """An object that is written: it comes into being, whole, when it is closed.

    One that is never closed, or fails, or is left by an exception, never does. Google's own stream
    would be finished as it is by the collection of garbage.

    Args:
      writer: Google's stream.
      path: for what is wrong.
    """

    def __init__(self, writer: Any, path: str) -> None:
        super().__init__()
        self._writer = writer
        self._path = path

    def writable(self) -> bool:
        """It is."""
        return True

    def write(self, content: Any) -> int:
        """Add bytes."""
        try:
            with as_os_errors(self._path):
                written: int = self._writer.write(content)
                return written
        except OSError:
            self._give_up()
            raise

    def tell(self) -> int:
        """How many bytes were written."""
        position: int = self._writer.tell()
        return position

    def close(self) -> None:
        """Have the object be there."""
        try:
            with as_os_errors(self._path):
                self._writer.close()
        finally:
            self._give_up()

    def __exit__(self, exception_type: type[BaseException] | None, *_: object) -> None:
        if exception_type is None:
            self.close()
        else:
            self._give_up()

    def __enter__(self) -> Self:
        return self

    def __del__(self) -> None:
        self._give_up()

    def _give_up(self) -> None:
        # Its public way of giving up asks the service, which may be what has failed.
        self._writer._buffer.close()  # noqa: SLF001
        super().close()


_CONTENT_TYPE = "application/octet-stream"

_PIECE_BYTES = 2 * MEGABYTE
"""What an object under way keeps in memory; Beam's 16 MiB are too much for a file for each date."""

NO_OBJECT = 0
"""The generation that an object has before it is there."""

_log = logging.getLogger(__name__)

_BEFORE_NAMES = 3
"""How many slashes stand in ``gs://bucket/``."""


def create(path: str, *, must_be_new: bool = False) -> IO[bytes]:
    """Begin an object; it is there, and whole, once the stream is closed.

    Args:
      path: its name.
      must_be_new: whether to fail where an object has that name.

    Raises:
      FileExistsError: an object has that name and must not; the stream raises it.
      OSError: it cannot be written; the stream raises it, too.
    """
    _, _, bucket, name = path.split("/", 3)
    with as_os_errors(path):
        blob = _client().client.bucket(bucket).blob(name)
        writer = blob.open(
            "wb",
            chunk_size=_PIECE_BYTES,
            content_type=_CONTENT_TYPE,
            if_generation_match=NO_OBJECT if must_be_new else None,
        )
        return cast("IO[bytes]", Upload(writer, path))


def read(path: str) -> IO[bytes]:
    """Open an object as it is now; if it is replaced meanwhile, the stream fails.

    Raises:
      OSError: it is not there or cannot be read; the stream raises it, too.
    """
    with as_os_errors(path):
        return cast("IO[bytes]", Download(_client().open(path, "rb"), path))


def exists(path: str) -> bool:
    """Tell whether an object is there.

    Raises:
      OSError: it cannot be told.
    """
    with as_os_errors(path):
        return bool(_client().exists(path))


def size(path: str) -> int:
    """How many bytes an object has.

    Raises:
      OSError: it is not there.
    """
    with as_os_errors(path):
        return int(_client().size(path))


def checksum(path: str) -> str:
    """The CRC32C of an object, as Cloud Storage writes it.

    Raises:
      OSError: it is not there.
    """
    with as_os_errors(path):
        return str(_client().checksum(path))


def checksum_of_file(path: str) -> str:
    """The CRC32C of a local file, in the same form.

    Raises:
      OSError: it cannot be read.
    """
    crc = google_crc32c.Checksum()
    with Path(path).open("rb") as stream:
        for _ in crc.consume(stream, MEGABYTE):
            pass
    return base64.b64encode(crc.digest()).decode()


def changed_at_ns(path: str) -> int:
    """When an object was last written, nanoseconds since 1970 UTC.

    Raises:
      OSError: it is not there.
    """
    with as_os_errors(path):
        return int(_client().last_updated(path) * 1e9)


def generation(path: str) -> int:
    """The number that an object gets anew with each write; `NO_OBJECT` where there is none.

    Raises:
      OSError: it cannot be read.
    """
    _, _, bucket, name = path.split("/", 3)
    with as_os_errors(path):
        blob = _client().client.bucket(bucket).get_blob(name)
        return NO_OBJECT if blob is None else int(blob.generation)


def replace(path: str, content: bytes, generation: int) -> int:
    """Write a small object, if it still has a generation.

    Args:
      path: its name.
      content: all of it.
      generation: what is replaced; `NO_OBJECT` where there must be none.

    Returns:
      Its generation from now on.

    Raises:
      FileExistsError: it has another generation.
      OSError: it cannot be written.
    """
    _, _, bucket, name = path.split("/", 3)
    with as_os_errors(path):
        blob = _client().client.bucket(bucket).blob(name)
        blob.upload_from_string(content, _CONTENT_TYPE, if_generation_match=generation)
        return int(blob.generation)


def copy(source: str, target: str) -> None:
    """Copy an object within Cloud Storage, replacing what has the other name.

    Raises:
      OSError: it cannot be copied.
    """
    with as_os_errors(target):
        _client().copy(source, target)


def remove(path: str) -> None:
    """Delete an object; one that is gone already is no error.

    Raises:
      OSError: it is there and cannot be deleted.
    """
    with as_os_errors(path):
        _client().delete(path)


def find(pattern: str) -> list[str]:
    """List the objects that a glob matches, or that are called by it, sorted.

    As on disk: ``**`` stands for any number of folders, and what begins with a point is hidden.

    Raises:
      OSError: it cannot be told.
    """
    literal = re.split(r"[*?[]", pattern, maxsplit=1)[0]
    if literal.count("/") < _BEFORE_NAMES:
        raise OSError(errno.EINVAL, "a bucket's name comes first, without wildcards", pattern)
    parts = pattern.split("/")
    return [
        path
        for path in find_beginning(literal)
        if path == pattern or _matches(path.split("/"), parts)
    ]


def find_beginning(prefix: str) -> list[str]:
    """List the objects whose paths begin so, sorted; those that stand for folders are none.

    Raises:
      OSError: it cannot be told.
    """
    with as_os_errors(prefix):
        paths = (path for path, _ in _client().list_files(prefix))
        return sorted(path for path in paths if not path.endswith("/"))


def _matches(names: list[str], patterns: list[str]) -> bool:
    """Tell whether the names of folders and file match, each the pattern in its place."""
    if not patterns or not names:
        return not names and all(pattern == "**" for pattern in patterns)
    (name, *inner), (pattern, *others) = names, patterns
    is_hidden = name.startswith(".") and not pattern.startswith(".")
    if pattern == "**":
        return _matches(names, others) or (not is_hidden and _matches(inner, patterns))
    return not is_hidden and fnmatchcase(name, pattern) and _matches(inner, others)


@cache
def _client() -> GcsIO:
    """One client for a process, with its connections."""
    options = PipelineOptions()
    client = create_storage_client(options, use_credentials=_has_credentials())
    return GcsIO(client, options)


def _has_credentials() -> bool:
    """Tell whether there are any; Beam would look for them for half a minute, and log traces."""
    if "STORAGE_EMULATOR_HOST" in os.environ:
        return False
    try:
        google.auth.default()
    except DefaultCredentialsError:
        _log.warning("no Google credentials were found: Cloud Storage is asked as anybody")
        return False
    return True
