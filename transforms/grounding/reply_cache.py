"""Replies that were paid for once, for every later check of the same content."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine
from hashlib import sha256
from typing import Any, Generic, TypeVar

Reply = TypeVar("Reply")

_OVERHEAD_BYTES = 2048


class ReplyCache(Generic[Reply]):
    """Keeps replies by the content of their request; the longest unused go first.

    Of identical requests under way at once only the first is sent; the others share its outcome,
    good or bad. A failure is not kept.

    Args:
      max_bytes: how much to keep. A reply repeats what it was asked about, so it counts as many
        bytes as its request, and some for itself.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._replies: OrderedDict[bytes, tuple[Reply, int]] = OrderedDict()
        self._under_way: dict[bytes, _Fetching[Reply]] = {}

    async def get(self, body: bytes, fetch: Callable[[], Awaitable[Reply]]) -> tuple[Reply, bool]:
        """Return the reply to a request, fetching it if nobody has.

        Args:
          body: the encoded request: answer, facts and settings.
          fetch: sends it.

        Returns:
          The reply, and whether it cost the caller no request of its own.

        Raises:
          Exception: what the fetch raised, the caller's own or the one it shared.
        """
        key = sha256(body).digest()
        if key in self._replies:
            self._replies.move_to_end(key)
            return self._replies[key][0], True
        is_shared = key in self._under_way
        if not is_shared:
            size = len(body) + _OVERHEAD_BYTES
            self._under_way[key] = _Fetching(self._fetch(key, size, fetch))
        return await self._under_way[key].result(), is_shared

    async def _fetch(self, key: bytes, size: int, fetch: Callable[[], Awaitable[Reply]]) -> Reply:
        try:
            reply = await fetch()
        finally:
            del self._under_way[key]
        self._replies[key] = reply, size
        self._bytes += size
        while self._bytes > self._max_bytes:
            _, (_, dropped_bytes) = self._replies.popitem(last=False)
            self._bytes -= dropped_bytes
        return reply


class _Fetching(Generic[Reply]):
    """A fetch under way for whoever waits: it lasts until it ends or the last of them leaves."""

    def __init__(self, fetch: Coroutine[Any, Any, Reply]) -> None:
        self._task = asyncio.ensure_future(fetch)
        self._waiting = 0

    async def result(self) -> Reply:
        self._waiting += 1
        try:
            return await asyncio.shield(self._task)
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._task.cancel()
