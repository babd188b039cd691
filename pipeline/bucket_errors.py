"""What goes wrong with a bucket, as the OSError that a file on disk would raise."""

import errno
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from types import MappingProxyType
from typing import Any

from google.api_core.exceptions import GoogleAPICallError, RetryError
from google.auth.exceptions import GoogleAuthError
from google.cloud.storage.exceptions import InvalidResponse

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
