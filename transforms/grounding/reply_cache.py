"""Replies that were paid for once, for every later check of the same content."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine
from hashlib import sha256
from typing import Any

import msgspec

from schemas.wire.grounding_check import CheckRequest
from transforms.grounding.reply import CheckReply, decode_reply, encode_reply
from transforms.grounding.reply_store import ReplyStore

_OVERHEAD_BYTES = 2048


class ReplyCache:
    """Keeps replies by the content of their request; the longest unused go first.

    Of identical requests under way at once only the first is sent; the others share its outcome,
    good or bad. A failure is not kept.

    Args:
      address: of the checker and its method, so that no other's reply is taken for its own.
      max_bytes: how much to keep in memory. A reply repeats what it was asked about, so it counts
        as many bytes as its request, and some for itself.
      store: keeps all replies besides, without their texts, for another process.
    """

    def __init__(self, address: str, max_bytes: int, store: ReplyStore | None = None) -> None:
        self._address = address.encode()
        self._max_bytes = max_bytes
        self._store = store
        self._bytes = 0
        self._replies: OrderedDict[bytes, tuple[CheckReply, int]] = OrderedDict()
        self._under_way: dict[bytes, _Fetching] = {}

    async def get(
        self, request: CheckRequest, body: bytes, fetch: Callable[[], Awaitable[CheckReply]]
    ) -> CheckReply:
        """Return the reply to a request, fetching it if nobody has.

        Args:
          request: answer, facts and settings.
          body: the request, encoded.
          fetch: sends it.

        Returns:
          The reply; without attempts if it cost the caller no request of its own.

        Raises:
          Exception: what the fetch raised, the caller's own or the one it shared.
        """
        key = sha256(self._address + b"\0" + body).digest()
        if key in self._replies:
            self._replies.move_to_end(key)
            return _paid_before(self._replies[key][0])
        is_shared = key in self._under_way
        if not is_shared:
            size = len(body) + _OVERHEAD_BYTES
            self._under_way[key] = _Fetching(self._fetch(key, size, request, fetch))
        reply = await self._under_way[key].result()
        return _paid_before(reply) if is_shared else reply

    async def _fetch(
        self,
        key: bytes,
        size: int,
        request: CheckRequest,
        fetch: Callable[[], Awaitable[CheckReply]],
    ) -> CheckReply:
        try:
            reply = self._stored(key, request) or await self._pay(key, fetch)
        finally:
            del self._under_way[key]
        self._replies[key] = reply, size
        self._bytes += size
        while self._bytes > self._max_bytes:
            _, (_, dropped_bytes) = self._replies.popitem(last=False)
            self._bytes -= dropped_bytes
        return reply

    async def _pay(self, key: bytes, fetch: Callable[[], Awaitable[CheckReply]]) -> CheckReply:
        reply = await fetch()
        if self._store:
            self._store.put(key, encode_reply(reply))
        return reply

    def _stored(self, key: bytes, request: CheckRequest) -> CheckReply | None:
        found = self._store.get(key) if self._store else None
        if found is None:
            return None
        encoded, is_uncounted = found
        reply = decode_reply(encoded, request)
        return reply if is_uncounted else _paid_before(reply)


def _paid_before(reply: CheckReply) -> CheckReply:
    return msgspec.structs.replace(reply, attempts=0)


class _Fetching:
    """A fetch under way for whoever waits: it lasts until it ends or the last of them leaves."""

    def __init__(self, fetch: Coroutine[Any, Any, CheckReply]) -> None:
        self._task = asyncio.ensure_future(fetch)
        self._waiting = 0

    async def result(self) -> CheckReply:
        self._waiting += 1
        try:
            return await asyncio.shield(self._task)
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._task.cancel()
