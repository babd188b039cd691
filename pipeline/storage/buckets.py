"""Objects in Cloud Storage, with the retries and resumable uploads of Google's client.

Beam's FileSystems take the path of a file to delete for a glob, do not hide files whose names begin
with a point, and open a connection for every call.
"""

import errno
import logging
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from functools import cache
from http import HTTPStatus
from json import JSONDecodeError
from pathlib import Path
from typing import IO, Any, cast

import google.auth
from apache_beam.io.gcp.gcsio import BeamBlobReader, create_storage_client
from apache_beam.io.gcp.gcsio_retry import DEFAULT_RETRY_WITH_THROTTLING_COUNTER as RETRY
from apache_beam.options.pipeline_options import PipelineOptions
from google.api_core.exceptions import GoogleAPICallError, NotFound, RetryError
from google.auth import environment_vars
from google.auth.exceptions import DefaultCredentialsError, GoogleAuthError
from google.cloud.storage import Blob, Client
from google.cloud.storage.exceptions import InvalidResponse
from google.cloud.storage.fileio import BlobWriter

from groundwatch.schemas.quantities import MEGABYTE
from groundwatch.transforms.runtime.errors import InvalidEnvironment
from groundwatch.transforms.runtime.http_reply import IN_ITS_PLACE, is_page
from groundwatch.transforms.runtime.network_environment import try_address
from groundwatch.transforms.runtime.waiting import waiting_for

_NUMBERS: Mapping[Any, int] = {
    HTTPStatus.UNAUTHORIZED: errno.EACCES,
    HTTPStatus.FORBIDDEN: errno.EACCES,
    HTTPStatus.NOT_FOUND: errno.ENOENT,
    HTTPStatus.PRECONDITION_FAILED: errno.EEXIST,
}
_SCHEME = "gs://"
_CONTENT_TYPE = "application/octet-stream"
# The memory of an unfinished object; Google's 40 MiB are too much with a file for each date.
_CHUNK_BYTES = 2 * MEGABYTE
_SLASHES_BEFORE_NAME = 3
NO_OBJECT = 0  # The generation of an object that does not exist
_log = logging.getLogger(__name__)


@contextmanager
def as_os_errors(path: str) -> Iterator[None]:
    """Raise the client's errors as OSErrors, without URLs: an upload URL authorizes anybody."""
    try:
        with waiting_for(f"Cloud Storage: {path}"):
            yield
    except InvalidEnvironment:
        raise
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
    if is_page(_body(error)):
        return f"a page of HTML instead of Cloud Storage's reply; {IN_ITS_PLACE}"
    if isinstance(error, _WrongPart):
        return str(error)
    if isinstance(error, InvalidResponse | GoogleAPICallError):
        message = ""
        with suppress(AttributeError, KeyError, TypeError, ValueError):
            message = error.response.json()["error"]["message"]
        return f"{_status(error):d} {message}".rstrip()
    if isinstance(error, GoogleAuthError):
        key_file = os.environ.get(environment_vars.CREDENTIALS)
        hint = f"; {environment_vars.CREDENTIALS} names {key_file}" if key_file else ""
        return f"no credentials that Cloud Storage accepts ({type(error).__name__}){hint}"
    # The client's own errors have no number.
    if isinstance(error, TimeoutError) or getattr(error, "errno", None):
        reason = getattr(error, "strerror", None) or error
        return f"cannot connect to Cloud Storage ({reason}): check the network"
    return f"no usable answer from Cloud Storage ({type(error).__name__})"


def _body(error: BaseException) -> bytes:
    """Return the body of the reply that an error is about, as far as the error has it."""
    if isinstance(error, _WrongPart):
        return error.content
    if isinstance(error, JSONDecodeError):
        return error.doc.encode()
    return getattr(getattr(error, "response", None), "content", None) or b""


class _WrongPart(Exception):
    def __init__(self, content: bytes, size_bytes: int) -> None:
        super().__init__(f"Cloud Storage sent {len(content)} bytes instead of {size_bytes}")
        self.content = content


class _SizedBlob(Blob):
    """Compare the size of each part that is downloaded with that of the object.

    Google's client takes any success for a part, and has a checksum for whole objects only.
    """

    def download_as_bytes(self, *, start: int, end: int | None, **others: Any) -> bytes:
        content: bytes = super().download_as_bytes(start=start, end=end, **others)
        size_bytes = (self.size if end is None else min(end + 1, self.size)) - start
        if len(content) != size_bytes:
            raise _WrongPart(content, size_bytes)
        return content


class _Download(BeamBlobReader):
    def __init__(self, blob: Blob, path: str) -> None:
        super().__init__(blob, retry=RETRY)
        self._path = path

    def read(self, size: int = -1) -> bytes:
        with as_os_errors(self._path):
            return super().read(size)


class _Upload(BlobWriter):
    """Write an object, which appears when the stream is closed, but never after an error.

    The garbage collector would finish Google's own stream.
    """

    def __init__(self, blob: Blob, path: str, generation: int | None) -> None:
        condition = {"if_generation_match": generation, "content_type": _CONTENT_TYPE}
        super().__init__(blob, _CHUNK_BYTES, ignore_flush=True, **condition)
        self._path = path

    def write(self, content: Any) -> int:
        try:
            with as_os_errors(self._path):
                return super().write(content)
        except OSError:
            self.terminate()
            raise

    def close(self) -> None:
        try:
            with as_os_errors(self._path):
                super().close()
        finally:
            self.terminate()

    def terminate(self) -> None:
        # Google's own way calls the service, which may be what has failed.
        self._buffer.close()

    def __del__(self) -> None:
        self.terminate()


def create(path: str, *, must_be_new: bool = False) -> IO[bytes]:
    """Open an object for writing; FileExistsError on closing it if it `must_be_new` and is not."""
    with as_os_errors(path):
        return cast("IO[bytes]", _Upload(_blob(path), path, NO_OBJECT if must_be_new else None))


def read(path: str) -> IO[bytes]:
    """Open an object for reading; if it is replaced meanwhile, the stream fails."""
    with as_os_errors(path):
        return cast("IO[bytes]", _Download(_blob(path), path))


def move_in(source: str, path: str, *, must_be_new: bool) -> None:
    """Upload a local file, or rename an object; FileExistsError if there is one and must not be."""
    try:
        if source.startswith(_SCHEME):
            with as_os_errors(path):
                blob, target = _blob(source), _blob(path)
                blob.bucket.copy_blob(blob, target.bucket, target.name, retry=RETRY)
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
    """Return whether an object exists."""
    with as_os_errors(path):
        return bool(_blob(path).exists())


def version(path: str) -> tuple[int, int]:
    """Return an object's size in bytes and its last change in nanoseconds since 1970 UTC."""
    blob = _look(path)
    return int(blob.size), int(blob.updated.timestamp() * 1e9)


def checksum(path: str) -> str:
    """Return the CRC32C of an object, in base64."""
    return str(_look(path).crc32c)


def _look(path: str) -> Blob:
    with as_os_errors(path):
        blob = _blob(path)
        blob.reload()
        return blob


def generation(path: str) -> int:
    """Return the number of an object's last write; `NO_OBJECT` if it does not exist."""
    try:
        return int(_look(path).generation)
    except FileNotFoundError:
        return NO_OBJECT


def replace(path: str, content: bytes, generation: int) -> int:
    """Write a small object and return its generation; FileExistsError if it is not `generation`."""
    with as_os_errors(path):
        blob = _blob(path)
        blob.upload_from_string(content, _CONTENT_TYPE, if_generation_match=generation)
        return int(blob.generation)


def remove(path: str) -> None:
    """Delete an object, if it exists."""
    with as_os_errors(path), suppress(NotFound):
        _blob(path).delete(retry=RETRY)


def find(pattern: str) -> list[str]:
    """List the objects that match a glob or have it as their name, sorted.

    ``**`` matches any number of folders, and wildcards do not match a leading point.
    """
    literal = re.split(r"[*?[]", pattern, maxsplit=1)[0]
    if literal.count("/") < _SLASHES_BEFORE_NAME:
        raise OSError(
            errno.EINVAL, "name the objects behind the bucket, such as gs://BUCKET/*.jsonl", pattern
        )
    parts, found = pattern.split("/"), _with_prefix(literal)
    return [path for path in found if path == pattern or _matches(path.split("/"), parts)]


def find_below(folder: str) -> list[str]:
    """List the objects in a folder and its subfolders, sorted."""
    return _with_prefix(f"{folder.rstrip('/')}/")


def _with_prefix(prefix: str) -> list[str]:
    """List the objects whose paths begin so, without those that stand for folders."""
    with as_os_errors(prefix):
        _, _, bucket, start = prefix.split("/", _SLASHES_BEFORE_NAME)
        blobs = _client().list_blobs(bucket, prefix=start, retry=RETRY)
        names = (blob.name for blob in blobs if not blob.name.endswith("/"))
        return sorted(f"{_SCHEME}{bucket}/{name}" for name in names)


def _matches(names: list[str], patterns: list[str]) -> bool:
    """Return whether the names of folders and file match the patterns in their places."""
    if not patterns or not names:
        return not names and all(pattern == "**" for pattern in patterns)
    (name, *inner), (pattern, *others) = names, patterns
    is_hidden = name.startswith(".") and not pattern.startswith(".")
    if pattern == "**":
        return _matches(names, others) or (not is_hidden and _matches(inner, patterns))
    return not is_hidden and fnmatchcase(name, pattern) and _matches(inner, others)


def _blob(path: str) -> Blob:
    _, _, bucket, name = path.split("/", _SLASHES_BEFORE_NAME)
    return _SizedBlob(name, _client().bucket(bucket))


@cache
def _client() -> Client:
    """Return the process's client, with its connections."""
    has_credentials = "STORAGE_EMULATOR_HOST" not in os.environ
    try:
        # Without credentials Beam would look for them for half a minute, and log tracebacks.
        if has_credentials:
            google.auth.default()
    except DefaultCredentialsError:
        if environment_vars.CREDENTIALS in os.environ:
            raise
        _log.warning("no Google credentials were found: Cloud Storage is read anonymously")
        has_credentials = False
    client = create_storage_client(PipelineOptions(), use_credentials=has_credentials)
    # The client itself would try for two minutes before it says so.
    try_address(client.api_endpoint)
    return client
