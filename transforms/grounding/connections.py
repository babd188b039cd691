"""The connections to a checker: the only place that opens a socket to one."""

import asyncio
import zlib
from collections.abc import Mapping

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport

from schemas.record import Record
from transforms.grounding.errors import BadReply, Unavailable
from transforms.grounding.local.transport import LocalTransport
from transforms.grounding.protocol import check_path
from transforms.grounding.settings import LOCAL, CheckSettings

_GZIP = zlib.MAX_WBITS | 16
_LOCAL_ADDRESS = "http://local"
_HEADERS = {
    "Content-Type": "application/json",
    "Accept-Encoding": "gzip",
    "User-Agent": "groundwatch",
}

Transport = httpx.AsyncBaseTransport


class RawReply(Record, frozen=True, kw_only=True):
    """What came back, not yet believed."""

    status: int
    retry_after: str | None
    body: bytes


class Connections:
    """Posts bodies to the method's address and reads the replies, within a deadline and a size.

    Args:
      settings: where to, how long, how much.
      transport: takes the requests in place of sockets, or of the embedded checker.
    """

    def __init__(self, settings: CheckSettings, transport: Transport | None = None) -> None:
        is_local = settings.checker == LOCAL
        address = _LOCAL_ADDRESS if is_local else settings.endpoint
        self._url = httpx.URL(address + check_path(settings))
        self._timeout_s = settings.retries.timeout_s
        self._max_bytes = settings.max_reply_bytes
        self._free = asyncio.Semaphore(settings.max_in_flight)
        # A bare transport: unlike httpx's client it follows no redirect, keeps no cookie and
        # reads no proxy from the environment, none of which a check may do unasked.
        self._transport = transport or (LocalTransport() if is_local else _sockets(settings))

    async def post(self, body: bytes, headers: Mapping[str, str]) -> RawReply:
        """Send one request and wait for the whole reply.

        Args:
          body: JSON.
          headers: besides those that every request has.

        Returns:
          The reply, whatever its status.

        Raises:
          Unavailable: no connection, or no whole reply within the deadline.
          BadReply: a reply that is too long or cannot be unpacked.
        """
        # Waiting for a place is no part of the deadline: the checker cannot be blamed for it.
        async with self._free:
            return await self._within_deadline(body, headers)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._transport.aclose()

    async def _within_deadline(self, body: bytes, headers: Mapping[str, str]) -> RawReply:
        try:
            # httpx has no deadline for a whole call: encode/httpx#1450.
            async with asyncio.timeout(self._timeout_s):
                return await self._exchange(body, headers)
        except TimeoutError:
            raise Unavailable(f"no reply within {self._timeout_s:g} s") from None
        except (httpx.HTTPError, aiohttp.ClientError, OSError) as error:
            # httpx's name for it may be wrong (a refused connection is a ConnectTimeout), so it
            # is aiohttp's. The error itself could hold the request and with it the answer.
            name = type(error.__cause__ or error).__name__
            raise Unavailable(f"the connection failed: {name}") from None

    async def _exchange(self, body: bytes, headers: Mapping[str, str]) -> RawReply:
        request = httpx.Request("POST", self._url, headers={**_HEADERS, **headers}, content=body)
        response = await self._transport.handle_async_request(request)
        try:
            packed = await _read(response, self._max_bytes)
        finally:
            await response.aclose()
        return RawReply(
            status=response.status_code,
            retry_after=response.headers.get("Retry-After"),
            body=_unpacked(packed, response.headers.get("Content-Encoding"), self._max_bytes),
        )


def _sockets(settings: CheckSettings) -> Transport:
    """Connections by aiohttp: httpx's own take twice the time, and collapse beyond some 32.

    The latter is encode/httpcore#1035.
    """

    def session() -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=settings.max_in_flight),
            cookie_jar=aiohttp.DummyCookieJar(),
            proxy=settings.proxy,
        )

    return AiohttpTransport(client=session, trust_env=False)


async def _read(response: httpx.Response, max_bytes: int) -> bytes:
    chunks: list[bytes] = []
    size = 0
    async for chunk in response.aiter_raw():
        size += len(chunk)
        if size > max_bytes:
            raise BadReply(f"the reply is longer than {max_bytes} bytes")
        chunks.append(chunk)
    return b"".join(chunks)


def _unpacked(packed: bytes, encoding: str | None, max_bytes: int) -> bytes:
    """Undo the content encoding within a bound, which httpx's own decoders do not have."""
    name = (encoding or "identity").strip().lower()
    if name == "identity":
        return packed
    if name != "gzip":
        raise BadReply("the reply has a content encoding that was not asked for")
    unpacker = zlib.decompressobj(_GZIP)
    try:
        body = unpacker.decompress(packed, max_bytes + 1)
    except zlib.error:
        raise BadReply("the reply is no valid gzip") from None
    if len(body) > max_bytes:
        raise BadReply(f"the reply is longer than {max_bytes} bytes, unpacked")
    if not unpacker.eof:
        raise BadReply("the reply's gzip is cut")
    return body
