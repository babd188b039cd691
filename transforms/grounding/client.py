"""The one client of the check, and the only place that opens a socket to a checker."""

import asyncio
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from operator import attrgetter
from types import TracebackType
from typing import Self

import httpx
import stamina

from schemas.record import Record
from schemas.wire.check import CheckRequest, CheckResponse
from transforms.grounding import retrying
from transforms.grounding.errors import BadReply, CheckFailed, Unavailable
from transforms.grounding.local.transport import LocalTransport
from transforms.grounding.protocol import check_path, encode_request, interpret_reply
from transforms.grounding.settings import CheckSettings

_CONNECTIONS_A_SHARD = 16
"""One pool of connections slows down quadratically beyond some 32: encode/httpcore#1035."""

_GZIP = zlib.MAX_WBITS | 16
_LOCAL_ADDRESS = "http://local"
_HEADERS = httpx.Headers(
    {
        "Content-Type": "application/json",
        "Accept-Encoding": "gzip",
        "User-Agent": "groundwatch",
    }
)


class CheckReply(Record, frozen=True, kw_only=True):
    """A valid reply, and how many attempts it took."""

    response: CheckResponse
    attempts: int


class GroundingClient:
    """Sends checks and waits for replies, many at a time.

    Delivery: a call is repeated after a fault, and asking twice is harmless but billed.

    Args:
      settings: where to, how long, how often.
      transport: makes the transport of one shard; by default the embedded checker for ``local``,
        else connections to the address.
    """

    def __init__(
        self,
        settings: CheckSettings,
        transport: Callable[[], httpx.AsyncBaseTransport] | None = None,
    ) -> None:
        self._settings = settings
        is_local = settings.checker == "local"
        make = transport or (LocalTransport if is_local else _connections)
        address = _LOCAL_ADDRESS if is_local else settings.checker.rstrip("/")
        self._url = httpx.URL(address + check_path(settings))
        shards = 1 if is_local else -(-settings.max_in_flight // _CONNECTIONS_A_SHARD)
        self._shards = [_Shard(make()) for _ in range(shards)]

    async def check(self, request: CheckRequest) -> CheckReply:
        """Ask about one piece of an answer.

        Args:
          request: within the service's limits.

        Returns:
          The reply, valid for the request.

        Raises:
          CheckFailed: after the last attempt; its class says what is to be done.
        """
        body = encode_request(request)
        attempts = 0
        try:
            async for attempt in stamina.retry_context(
                on=retrying.backoff,
                attempts=self._settings.max_attempts,
                timeout=self._settings.retry_timeout_s,
                wait_initial=retrying.FIRST_WAIT_S,
                wait_max=retrying.LONGEST_WAIT_S,
                wait_jitter=retrying.JITTER_S,
            ):
                with attempt:
                    attempts = attempt.num
                    response = await self._attempt(request, body)
        except CheckFailed as error:
            error.attempts = attempts
            raise
        return CheckReply(response=response, attempts=attempts)

    async def aclose(self) -> None:
        """Close all connections."""
        for shard in self._shards:
            await shard.transport.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exception_type: type[BaseException] | None,
        exception: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def _attempt(self, request: CheckRequest, body: bytes) -> CheckResponse:
        status, retry_after, reply = await self._post(body)
        return interpret_reply(status, retry_after, reply, request, datetime.now(UTC))

    async def _post(self, body: bytes) -> tuple[int, str | None, bytes]:
        shard = min(self._shards, key=attrgetter("in_flight"))
        shard.in_flight += 1
        try:
            # httpx has no deadline for a whole call: encode/httpx#1450.
            async with asyncio.timeout(self._settings.timeout_s):
                return await self._exchange(shard.transport, body)
        except TimeoutError:
            raise Unavailable(f"no reply within {self._settings.timeout_s:g} s") from None
        except httpx.HTTPError as error:
            # The cause could hold the request and with it the answer.
            raise Unavailable(f"the connection failed: {type(error).__name__}") from None
        finally:
            shard.in_flight -= 1

    async def _exchange(
        self, transport: httpx.AsyncBaseTransport, body: bytes
    ) -> tuple[int, str | None, bytes]:
        request = httpx.Request("POST", self._url, headers=_HEADERS, content=body)
        response = await transport.handle_async_request(request)
        try:
            packed = await _read(response, self._settings.max_reply_bytes)
        finally:
            await response.aclose()
        encoding = response.headers.get("Content-Encoding")
        reply = _unpack(packed, encoding, self._settings.max_reply_bytes)
        return response.status_code, response.headers.get("Retry-After"), reply


class _Shard:
    """A few connections of their own.

    A bare transport: unlike httpx's client it follows no redirect, keeps no cookie and reads no
    proxy from the environment, none of which a check may do.
    """

    def __init__(self, transport: httpx.AsyncBaseTransport) -> None:
        self.in_flight = 0
        self.transport = transport


def _connections() -> httpx.AsyncBaseTransport:
    return httpx.AsyncHTTPTransport(
        http2=False,
        trust_env=False,
        limits=httpx.Limits(
            max_connections=_CONNECTIONS_A_SHARD, max_keepalive_connections=_CONNECTIONS_A_SHARD
        ),
    )


async def _read(response: httpx.Response, max_bytes: int) -> bytes:
    chunks: list[bytes] = []
    size = 0
    async for chunk in response.aiter_raw():
        size += len(chunk)
        if size > max_bytes:
            raise BadReply(f"the reply is longer than {max_bytes} bytes")
        chunks.append(chunk)
    return b"".join(chunks)


def _unpack(packed: bytes, encoding: str | None, max_bytes: int) -> bytes:
    """Undo the content encoding within a bound, which httpx's own decoders do not have."""
    if encoding in {None, "", "identity"}:
        return packed
    if encoding != "gzip":
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
