"""Post requests to a service that checks answers or scores claims, and decode its replies."""

import logging
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from threading import Lock
from typing import Annotated, TypeVar

import httpx
import msgspec

from schemas.wire.grounding_check import CheckRequest, CheckResponse
from transforms.grounding.local.claim_result import ScorerFailed

JSON_HEADERS = {"Content-Type": "application/json"}
_log = logging.getLogger(__name__)
_TIMEOUT_S = 60.0
_PASSED_ON = frozenset({401, 403, 404, 429})
"""Statuses that the client resolves: a wrong key, a missing permission or name, too many calls."""

_QUOTA = "ServiceQuotaExceeded"  # AWS gives it the status 400, but the call may succeed later.
_Decoded = TypeVar("_Decoded")
Score = Annotated[float, msgspec.Meta(ge=0, le=1)]
Index = Annotated[int, msgspec.Meta(ge=0)]


class RemoteService(ABC):
    """A service behind `serve-checker`.

    Args:
      name: of the service, for messages. These quote no text of an answer, and no secret.
      address: of its API.

    Attributes:
      host: of the address.
      usage: counts of calls and of what the service bills, as far as its replies say.
    """

    def __init__(self, name: str, address: str) -> None:
        self.name = name
        self._client = httpx.Client(base_url=address, timeout=_TIMEOUT_S)
        self.host = self._client.base_url.netloc.decode()
        self.usage, self._lock = Counter[str](), Lock()
        self._problems = Counter[str]()

    @abstractmethod
    def check(self, request: CheckRequest) -> CheckResponse:
        """Check an answer; raise ScorerFailed if there is no valid reply."""

    def count(self, **numbers: int) -> None:
        """Add to the usage."""
        with self._lock:
            self.usage.update(numbers)

    def post(
        self, path: str, body: bytes, headers: Mapping[str, str], reply_type: type[_Decoded]
    ) -> _Decoded:
        """Post a body once, and decode the reply; raise ScorerFailed if there is no valid one."""
        self.count(calls=1)
        try:
            with self._client.stream(
                "POST", path, content=body, headers={**JSON_HEADERS, **headers}
            ) as response:
                content = b"".join(_in_time(response.iter_bytes()))
        except httpx.RequestError as error:
            raise self.failure(503, f"gave no reply: {type(error).__name__}") from None
        if not response.is_success:
            raise self._refusal(response)
        try:
            return msgspec.json.decode(content, type=reply_type)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise self.invalid_reply("its JSON is not that of the API") from None

    def invalid_reply(self, problem: str) -> ScorerFailed:
        """Return the error of a reply that cannot be used; another attempt can help."""
        return self.failure(503, f"sent an invalid reply: {problem}")

    def failure(self, status: int, problem: str, retry_after: str | None = None) -> ScorerFailed:
        """Return the error of a failed check; log each problem once, since clients see no text."""
        message = f"{self.name} {problem}."
        if not self._problems[message]:
            _log.warning("%s", message)
        self._problems[message] += 1
        return ScorerFailed(status, message, retry_after)

    def _refusal(self, response: httpx.Response) -> ScorerFailed:
        refused, headers = response.status_code, response.headers
        status = refused if refused in _PASSED_ON else 400 if refused < 500 else 503  # noqa: PLR2004
        if _QUOTA in headers.get("X-Amzn-ErrorType", ""):
            status = 429
        return self.failure(status, f"replied with status {refused}", headers.get("Retry-After"))


def _in_time(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield a body until the timeout: some services send blank lines while they have no reply."""
    until_s = time.monotonic() + _TIMEOUT_S
    for chunk in chunks:
        if time.monotonic() > until_s:
            raise httpx.ReadTimeout("the body is not complete")
        yield chunk
