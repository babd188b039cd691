"""Calls within bounds: so many at once, so long each, so large a reply."""

import asyncio
import threading
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

from transforms.grounding.errors import BadReply, Unavailable
from transforms.grounding.local.transport import LocalTransport
from transforms.grounding.protocol import check_path
from transforms.grounding.settings import LOCAL, CheckSettings
from transforms.grounding.sockets import Sockets
from transforms.grounding.transport import RawReply, Transport

_GZIP = zlib.MAX_WBITS | 16


class CallsInFlight:
    """Count the calls of this process that wait for a reply, over the event loops of all clients.

    Attributes:
      count: the calls at this moment.
    """

    count = 0
    _lock = threading.Lock()

    @classmethod
    def add(cls, by: int) -> None:
        """Add to the count, or subtract from it."""
        with cls._lock:
            cls.count += by


class Places:
    """Bound the calls under way at once.

    With OutagePolicy.HOLD a call that gets no reply for a second gives its place to another: else
    a few answers whose calls hang would take the places of all others.

    Args:
      most: calls under way at once.
      most_late: calls besides that gave their place away; further ones keep theirs.
      late_after_s: seconds after which a call gives its place away.
    """

    def __init__(self, most: int, most_late: int, late_after_s: float = 1.0) -> None:
        self._free = asyncio.Semaphore(most)
        self._most_late = most_late
        self._late_after_s = late_after_s
        self._late = 0

    @asynccontextmanager
    async def take(self) -> AsyncIterator[None]:
        """Hold a place while a `with` block lasts, or until the call is late."""
        await self._free.acquire()
        is_late = False

        def give_away() -> None:
            nonlocal is_late
            if self._late < self._most_late:
                is_late = True
                self._late += 1
                self._free.release()

        timer = None
        if self._most_late:
            timer = asyncio.get_running_loop().call_later(self._late_after_s, give_away)
        try:
            yield
        finally:
            if timer:
                timer.cancel()
            if is_late:
                self._late -= 1
            else:
                self._free.release()


class Connections:
    """Posts bodies to the method's path and reads the replies, within a deadline and a size.

    Args:
      settings: by whom, how many, how long, how much.
      transport: carries the requests in place of sockets, or of the embedded checker.
    """

    def __init__(self, settings: CheckSettings, transport: Transport | None = None) -> None:
        self._transport = transport or _open(settings)
        self._path = check_path(settings)
        self._timeout_s = settings.retries.timeout_s
        self._max_bytes = settings.max_reply_bytes
        self._places = Places(settings.max_in_flight, settings.most_late_calls)

    async def post(
        self, body: bytes, headers: Mapping[str, str], before_sending: Callable[[], None]
    ) -> RawReply:
        """Send one request and wait for the whole reply.

        Args:
          body: JSON.
          headers: besides those that every request has.
          before_sending: is called when the request is about to leave; raises to keep it back.

        Returns:
          The reply, whatever its status, unpacked.

        Raises:
          Unavailable: no connection, or no whole reply within the deadline.
          BadReply: a reply that is too long or cannot be unpacked.
        """
        # Waiting for a place is no part of the deadline: the checker cannot be blamed for it.
        async with self._places.take():
            before_sending()
            CallsInFlight.add(1)
            try:
                raw = await self._within_deadline(body, headers)
            finally:
                CallsInFlight.add(-1)
        unpacked = _unpacked(raw.body, raw.encoding, self._max_bytes)
        return RawReply(status=raw.status, body=unpacked, retry_after=raw.retry_after)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._transport.aclose()

    async def _within_deadline(self, body: bytes, headers: Mapping[str, str]) -> RawReply:
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._transport.post(self._path, body, headers)
        except TimeoutError:
            raise Unavailable(f"no reply within {self._timeout_s:g} s") from None


def _open(settings: CheckSettings) -> Transport:
    return LocalTransport(settings.scorer) if settings.checker == LOCAL else Sockets(settings)


def _unpacked(packed: bytes, encoding: str | None, max_bytes: int) -> bytes:
    """Undo the content encoding within a bound, which no client library keeps."""
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
