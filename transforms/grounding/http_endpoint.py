"""Post a body to a checker, and read its reply, within a timeout and a size."""

import asyncio
from collections.abc import Mapping
from typing import cast

import httpx

from .errors import BadReply, Unavailable
from .protocol import HttpReply, decompress
from .settings import CheckSettings
from .try_connection import unreachable

_HEADERS = (
    (b"Content-Type", b"application/json"),
    (b"Accept-Encoding", b"gzip"),
    (b"User-Agent", b"groundwatch"),
)
_REVISION_HEADERS = (b"x-checker-revision", b"server")
_MAX_REVISION = 200


class HttpEndpoint:
    """The method of a checker that takes the checks.

    Args:
      path: of the method.
      settings: the checker's address and limits.
      transport: carries the requests.
    """

    def __init__(
        self, path: str, settings: CheckSettings, transport: httpx.AsyncBaseTransport
    ) -> None:
        self._url = httpx.URL((settings.endpoint or "http://local") + path)
        self._headers = ((b"Host", self._url.netloc), *_HEADERS)
        self._settings = settings
        # A model is at work: it cannot be stopped, and another attempt takes as long.
        self._timeout_s = None if settings.scorer else settings.retries.timeout_s
        self._transport = transport

    async def post(self, body: bytes, token: Mapping[str, str]) -> HttpReply:
        """Post a body with the headers of a token, and return the reply.

        Raises:
          Unavailable: the connection failed, or the reply was late.
          BadReply: the reply is too long, or not valid gzip.
        """
        most_bytes = self._settings.max_reply_bytes
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await self._transport.handle_async_request(self._request(body, token))
                content = await _read_body(response, most_bytes)
        except (TimeoutError, httpx.TransportError) as error:
            raise self._failure(error) from None
        content = decompress(_read_header(response, b"content-encoding"), content, most_bytes)
        is_ok = response.status_code == httpx.codes.OK
        retry_after = None if is_ok else _read_header(response, b"retry-after")
        named = (_read_header(response, name) for name in _REVISION_HEADERS)
        revision = next(filter(None, named), "")[:_MAX_REVISION] or None
        return HttpReply(response.status_code, content, retry_after, revision)

    async def aclose(self) -> None:
        await self._transport.aclose()

    def _request(self, body: bytes, token: Mapping[str, str]) -> httpx.Request:
        # httpx takes three times as long to complete a request as to take a complete one.
        length = (b"Content-Length", b"%d" % len(body))
        fields = [(name.encode(), value.encode()) for name, value in token.items()]
        headers = [*self._headers, length, *fields]
        request = httpx.Request("POST", self._url, headers=headers, stream=httpx.ByteStream(body))
        request.read()
        return request

    def _failure(self, error: Exception) -> Unavailable:
        if isinstance(error, TimeoutError | httpx.TimeoutException):
            of_object = f" of {self._settings.checker}" if self._settings.is_object else ""
            return Unavailable(
                f"no reply{of_object} within {self._timeout_s:g} s; --timeout_s allows more"
            )
        if isinstance(error, httpx.ConnectError | httpx.ProxyError):
            return unreachable(self._settings, error)
        # Other messages could quote the request or the reply, and so the answer.
        return Unavailable(f"the connection failed: {type(error).__name__}")


async def _read_body(response: httpx.Response, max_bytes: int) -> bytes:
    """Read the body as it was sent: httpx itself decompresses without a limit."""
    stream = response.stream
    if isinstance(stream, httpx.ByteStream):  # It is in memory already.
        return b"".join(stream)
    body = bytearray()
    try:
        async for chunk in cast(httpx.AsyncByteStream, stream):
            body += chunk
            if len(body) > max_bytes:
                raise BadReply(f"the reply is longer than {max_bytes} bytes")
    finally:
        await response.aclose()
    return bytes(body)


def _read_header(response: httpx.Response, name: bytes) -> str | None:
    """Return a header, None without; `response.headers` takes several times as long."""
    values = [value for raw_name, value in response.headers.raw if raw_name.lower() == name]
    return values[-1].decode("ascii", "replace") if values else None
