"""Objects in Cloud Storage.

Built on Beam's client rather than on its FileSystems, which take the path of a file to delete for a
glob, do not hide files whose names begin with a point, and open a connection for every call.
"""

import errno
import io
import logging
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import cache
from http import HTTPStatus
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, Self, cast

import google.auth
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
_SCHEME = "gs://"
_CONTENT_TYPE = "application/octet-stream"
_CHUNK_BYTES = 2 * MEGABYTE
"""The memory of an unfinished object; Beam's 16 MiB are too much with a file for each date."""

_SLASHES_BEFORE_NAME = 3
"""In ``gs://bucket/name``."""

NO_OBJECT = 0
"""The generation of an object that does not exist."""

_log = logging.getLogger(__name__)


@contextmanager
def as_os_errors(path: str) -> Iterator[None]:
    """Raise the errors of Google's client as OSErrors of a path.

    Raises:
      OSError: FileNotFoundError, PermissionError or FileExistsError where they apply. Its strerror
        holds the service's message and no URL, since an upload URL authorizes anybody.
    """
    try:
        yield
    except Exception as error:
        # After several attempts the last one's error counts.
        cause = error.cause if isinstance(error, RetryError) and error.cause else error
        number = errno.EACCES if isinstance(cause, GoogleAuthError) else errno.EIO
        raise OSError(_NUMBERS.get(_status(cause), number), _reason(cause), path) from error


def _status(error: BaseException) -> Any:
    if isinstance(error, InvalidResponse):
        return error.response.status_code
    return error.code if isinstance(error, GoogleAPICallError) else None


def _reason(error: BaseException) -> str:
    if isinstance(error, InvalidResponse | GoogleAPICallError):
        return f"{_status(error):d} {_message(error)}".rstrip()
    if isinstance(error, GoogleAuthError):
        return f"no credentials that Cloud Storage accepts ({type(error).__name__})"
    return f"no usable answer from Cloud Storage ({type(error).__name__})"


def _message(error: Any) -> str:
    """Return the message in Google's JSON of errors."""
    try:
        return str(error.response.json()["error"]["message"])
    except (AttributeError, KeyError, TypeError, ValueError):
        return ""


class _Download(io.RawIOBase):
    """Read an object through Google's stream."""

    def __init__(self, reader: Any, path: str) -> None:
        super().__init__()
        self._reader = reader
        self._path = path

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        with as_os_errors(self._path):
            content: bytes = self._reader.read(size)
            return content

    def readinto(self, buffer: Any) -> int:
        content = self.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def tell(self) -> int:
        position: int = self._reader.tell()
        return position

    def close(self) -> None:
        self._reader.close()
        super().close()


class _Upload(io.RawIOBase):
    """Write an object, which appears when the stream is closed.

    After an error or an exception, or without a close, it never appears. Google's own stream would
    be finished by the garbage collector.
    """

    def __init__(self, writer: Any, path: str) -> None:
        super().__init__()
        self._writer = writer
        self._path = path

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        try:
            with as_os_errors(self._path):
                written: int = self._writer.write(content)
                return written
        except OSError:
            self._abandon()
            raise

    def tell(self) -> int:
        position: int = self._writer.tell()
        return position

    def close(self) -> None:
        try:
            with as_os_errors(self._path):
                self._writer.close()
        finally:
            self._abandon()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, exception_type: type[BaseException] | None, *_: object) -> None:
        if exception_type is None:
            self.close()
        else:
            self._abandon()

    def __del__(self) -> None:
        self._abandon()

    def _abandon(self) -> None:
        # The public way calls the service, which may be what has failed.
        self._writer._buffer.close()  # noqa: SLF001
        super().close()


def create(path: str, *, must_be_new: bool = False) -> IO[bytes]:
    """Open an object for writing; it appears, whole, when the stream is closed.

    Args:
      path: of the object.
      must_be_new: whether to fail if the object exists.

    Raises:
      FileExistsError: the object exists and must not; the stream raises it.
      OSError: it cannot be written; the stream raises it, too.
    """
    with as_os_errors(path):
        writer = _blob(path).open(
            "wb",
            chunk_size=_CHUNK_BYTES,
            content_type=_CONTENT_TYPE,
            if_generation_match=NO_OBJECT if must_be_new else None,
        )
        return cast("IO[bytes]", _Upload(writer, path))


def read(path: str) -> IO[bytes]:
    """Open an object for reading; if it is replaced meanwhile, the stream fails."""
    with as_os_errors(path):
        return cast("IO[bytes]", _Download(_client().open(path, "rb"), path))


def move_in(source: str, path: str, *, must_be_new: bool) -> None:
    """Upload a local file, or rename an object; the object appears whole.

    Raises:
      FileExistsError: the object exists, and must not.
      OSError: it cannot be written.
    """
    try:
        if source.startswith(_SCHEME):
            with as_os_errors(path):
                _client().copy(source, path)
            remove(source)
            return
        with Path(source).open("rb") as content, create(path, must_be_new=must_be_new) as stream:
            shutil.copyfileobj(content, stream, MEGABYTE)
    except FileExistsError:
        raise
    except OSError as error:
        raise OSError(f"cannot write {path}: {error.strerror or error}") from error
    Path(source).unlink(missing_ok=True)


def exists(path: str) -> bool:
    """Tell whether an object exists."""
    with as_os_errors(path):
        return bool(_client().exists(path))


def version(path: str) -> tuple[int, int]:
    """Return an object's size in bytes and its last change in nanoseconds since 1970 UTC."""
    with as_os_errors(path):
        return int(_client().size(path)), int(_client().last_updated(path) * 1e9)


def checksum(path: str) -> str:
    """Return the CRC32C of an object, in base64."""
    with as_os_errors(path):
        return str(_client().checksum(path))


def generation(path: str) -> int:
    """Return the number of an object's last write; `NO_OBJECT` if it does not exist.

    Raises:
      OSError: it cannot be read.
    """
    with as_os_errors(path):
        blob = _blob(path)
        found = blob.bucket.get_blob(blob.name)
        return NO_OBJECT if found is None else int(found.generation)


def replace(path: str, content: bytes, generation: int) -> int:
    """Write a small object, if it still has a generation.

    Args:
      path: of the object.
      content: all of it.
      generation: of the object that is replaced; `NO_OBJECT` if it must not exist.

    Returns:
      The new generation.

    Raises:
      FileExistsError: the object has another generation.
      OSError: it cannot be written.
    """
    with as_os_errors(path):
        blob = _blob(path)
        blob.upload_from_string(content, _CONTENT_TYPE, if_generation_match=generation)
        return int(blob.generation)


def remove(path: str) -> None:
    """Delete an object, if it exists."""
    with as_os_errors(path):
        _client().delete(path)


def find(pattern: str) -> list[str]:
    """List the objects that match a glob or have it as their name, sorted.

    As on disk, ``**`` matches any number of folders, and wildcards do not match a leading point.

    Raises:
      OSError: the pattern has a wildcard in the bucket's name, or Cloud Storage does not answer.
    """
    literal = re.split(r"[*?[]", pattern, maxsplit=1)[0]
    if literal.count("/") < _SLASHES_BEFORE_NAME:
        raise OSError(errno.EINVAL, "a bucket's name comes first, without wildcards", pattern)
    parts = pattern.split("/")
    return [
        path
        for path in _with_prefix(literal)
        if path == pattern or _matches(path.split("/"), parts)
    ]


def find_below(folder: str) -> list[str]:
    """List the objects in a folder and its subfolders, sorted."""
    return _with_prefix(f"{folder.rstrip('/')}/")


def _with_prefix(prefix: str) -> list[str]:
    """List the objects whose paths begin so, without those that stand for folders."""
    with as_os_errors(prefix):
        paths = (path for path, _ in _client().list_files(prefix))
        return sorted(path for path in paths if not path.endswith("/"))


def _matches(names: list[str], patterns: list[str]) -> bool:
    """Tell whether the names of folders and file match the patterns in their places."""
    if not patterns or not names:
        return not names and all(pattern == "**" for pattern in patterns)
    (name, *inner), (pattern, *others) = names, patterns
    is_hidden = name.startswith(".") and not pattern.startswith(".")
    if pattern == "**":
        return _matches(names, others) or (not is_hidden and _matches(inner, patterns))
    return not is_hidden and fnmatchcase(name, pattern) and _matches(inner, others)


def _blob(path: str) -> Any:
    _, _, bucket, name = path.split("/", _SLASHES_BEFORE_NAME)
    return _client().client.bucket(bucket).blob(name)


@cache
def _client() -> GcsIO:
    """Return the process's client, with its connections."""
    options = PipelineOptions()
    client = create_storage_client(options, use_credentials=_has_credentials())
    return GcsIO(client, options)


def _has_credentials() -> bool:
    """Look for credentials: Beam would look for half a minute, and log tracebacks."""
    if "STORAGE_EMULATOR_HOST" in os.environ:
        return False
    try:
        google.auth.default()
    except DefaultCredentialsError:
        _log.warning("no Google credentials were found: Cloud Storage is read anonymously")
        return False
    return True
