"""Cache replies by the content of their request, so that identical checks are paid for once."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import closing
from hashlib import sha256
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from groundwatch.schemas.planned_run import Budget
from groundwatch.schemas.wire.grounding_check import CheckRequest
from groundwatch.transforms.persistence.database import Database, checksum_column
from .protocol import CheckReply, encode_request
from .stored_reply import decode_reply, encode_reply

_OVERHEAD_BYTES = 2048

Fetch = Callable[[], Awaitable[CheckReply]]
Earlier = Callable[[], CheckRequest]


REPLY_TABLES = f"""
CREATE TABLE IF NOT EXISTS replies (
  key BLOB PRIMARY KEY, reply BLOB NOT NULL, owner INTEGER,
  {checksum_column("key", "reply", "owner")});
CREATE TABLE IF NOT EXISTS spent (
  calls INTEGER NOT NULL, characters INTEGER NOT NULL, {checksum_column("calls", "characters")});
INSERT INTO spent SELECT 0, 0 WHERE NOT EXISTS (SELECT * FROM spent);
"""  # noqa: S608 - of names
"""Keep each reply, whose `owner` is its batch, NULL for none, and one row of what was sent."""

# One may be there: what two processes asked at a time, or what could not be decoded.
_ADD_REPLY = """
INSERT INTO replies VALUES (?, ?, ?)
ON CONFLICT (key) DO UPDATE SET reply = excluded.reply, owner = excluded.owner
"""
_READ_REPLY = "SELECT reply, owner IS NULL FROM replies WHERE key = ?"
_READ_REPLY_OF_2_0_0 = f"{_READ_REPLY} AND substr(reply, 1, 1) = x'92'"
"""The same of a reply that 2.0.0 stored, an array of two: it is a reply without the question."""

_BEGAN_WITH_2_0_0 = "SELECT substr(reply, 1, 1) = x'92' FROM replies ORDER BY rowid LIMIT 1"
_FIND_OWNED_REPLY = "SELECT 1 FROM replies WHERE owner IS NOT NULL LIMIT 1"
_ASSIGN_REPLY = "UPDATE replies SET owner = ? WHERE key = ?"
_RELEASE_REPLIES = "UPDATE replies SET owner = NULL WHERE owner = ?"
_RELEASE_ALL_REPLIES = "UPDATE replies SET owner = NULL"
_DELETE_REPLIES = "DELETE FROM replies"

_ADD_SPENT = """
UPDATE spent SET calls = calls + ?1, characters = characters + ?2
WHERE calls < ?3 AND characters + ?2 <= ?4
"""
"""Count calls and their characters, unless that exceeds the budget."""

_READ_SPENT = "SELECT calls, characters FROM spent"
_NO_LIMIT = 2**62


class Spent(NamedTuple):
    """What a run has sent, over all its tries: requests, and the characters in them."""

    calls: int = 0
    characters: int = 0


class ReplyStore:
    """Encoded replies by the hash of their request, and how much the run has sent.

    A reply belongs to the batch whose counts include its call. Not safe for several threads.
    `batch` is the one that was started last.

    Args:
      path: the file.
      replies_per_write: so many replies are written at once, if nobody flushes them earlier.

    Raises:
      OSError: the file cannot be opened, now; or read or written, later.
    """

    def __init__(self, path: str, replies_per_write: int = 1) -> None:
        self.batch = 0
        self._replies_per_write = replies_per_write
        self._replies: dict[bytes, tuple[bytes, int]] = {}
        self._database = Database(path, REPLY_TABLES, durable=False)
        self.began_with_2_0_0 = next(self._database.read(_BEGAN_WITH_2_0_0), (0,)) == (1,)

    def start_batch(self, batch: int, *, is_retry: bool) -> None:
        """Start a batch; the replies of an earlier attempt at it, if `is_retry`, belong to none."""
        self.flush()
        self.batch = batch
        if is_retry:
            self._database.write(_RELEASE_REPLIES, batch)

    def release_all(self) -> int:
        """Let all replies belong to no batch, for a new plan of the run; return how many."""
        self.flush()
        return self._database.write(_RELEASE_ALL_REPLIES)

    def delete_replies(self) -> None:
        """Delete all replies; what the run has sent still counts."""
        self.flush()
        self._database.write(_DELETE_REPLIES)

    def get(self, key: bytes, *, is_of_2_0_0: bool = False) -> tuple[bytes, bool] | None:
        """Return a reply, and whether it belonged to no batch; then the current one gets it."""
        if not is_of_2_0_0 and (unwritten := self._replies.get(key)):
            return unwritten[0], False
        query = _READ_REPLY_OF_2_0_0 if is_of_2_0_0 else _READ_REPLY
        row = next(self._database.read(query, key), None)
        if row is None:
            return None
        reply, is_uncounted = row
        if is_uncounted:
            self._database.write(_ASSIGN_REPLY, self.batch, key)
        return reply, bool(is_uncounted)

    def has_paid(self) -> bool:
        """Return whether the run has a reply, of this process, another one or an earlier try."""
        return bool(self._replies) or any(self._database.read(_FIND_OWNED_REPLY))

    def put(self, key: bytes, reply: bytes, batch: int) -> None:
        """Store a reply of a batch, durably after the next flush."""
        self._replies[key] = reply, batch
        if len(self._replies) >= self._replies_per_write:
            self.flush()

    def spend(self, characters: int, budget: Budget) -> bool:
        """Count a call that is about to be sent; return False if it exceeds the budget.

        The count is committed before this returns, so that no crash loses it.
        """
        limits = (budget.max_calls, budget.max_characters)
        calls, most = (_NO_LIMIT if limit is None else limit for limit in limits)
        return self._database.write(_ADD_SPENT, 1, characters, calls, most) == 1

    def refund(self, characters: int) -> None:
        """Subtract a call that was not sent after all."""
        self._database.write(_ADD_SPENT, -1, -characters, _NO_LIMIT, _NO_LIMIT)

    def flush(self) -> None:
        if not self._replies:
            return
        with self._database.transaction():
            for key, (reply, batch) in self._replies.items():
                self._database.write(_ADD_REPLY, key, reply, batch)
        self._replies = {}

    def spent(self) -> Spent:
        """Return what the run has sent, over all its tries."""
        [(calls, characters)] = self._database.read(_READ_SPENT)
        return Spent(calls, characters)

    def close(self) -> None:
        """Write the replies, and close the file."""
        self.flush()
        self._database.close()


def read_spent(path: str) -> Spent:
    """Return what a run has sent, of the file of its replies; raise OSError if it is damaged."""
    with closing(ReplyStore(path)) as store:
        return store.spent()


class ReplyCache:
    """A file of all replies, or a least-recently-used cache in memory.

    Identical requests in flight share one fetch and its outcome. Failures are not cached.

    Args:
      address: of the checker and its method, part of the key.
      max_bytes: size of the cache in memory. A reply repeats the texts of its request, so it counts
        as the request's bytes plus some.
      store: a file of all replies, without their texts, also for other processes; None for memory.
    """

    def __init__(self, address: str, max_bytes: int, store: ReplyStore | None = None) -> None:
        self._address = address.encode()
        self._max_bytes = max_bytes
        self._store = store
        self._bytes = 0
        self._replies: OrderedDict[bytes, tuple[CheckReply, int]] = OrderedDict()
        self._in_flight: dict[bytes, asyncio.Future[CheckReply | None]] = {}

    async def get(
        self, request: CheckRequest, body: bytes, fetch: Fetch, earlier: Earlier | None = None
    ) -> CheckReply:
        """Return the cached reply to a request; fetch it if there is none.

        `body` is the encoded request, `earlier` makes it as 2.0.0 did. The reply's `attempts` is 0
        if this caller sent no request.
        """
        key = self._key(body)
        while shared := self._in_flight.get(key):
            # None if the caller that fetched it was cancelled.
            if reply := await asyncio.shield(shared):
                return _without_attempts(reply)
        if cached := self._replies.get(key):
            self._replies.move_to_end(key)
            return _without_attempts(cached[0])
        fetched = self._in_flight[key] = asyncio.get_running_loop().create_future()
        reply = None
        try:
            reply = await self._load_or_fetch(key, request, fetch, earlier)
        except Exception as error:
            fetched.set_exception(error)
            fetched.exception()  # Nobody may wait for it.
            raise
        finally:
            del self._in_flight[key]
            if not fetched.done():
                fetched.set_result(reply)
        if self._store is None:
            self._keep(key, reply, len(body) + _OVERHEAD_BYTES)
        return reply

    def _key(self, body: bytes) -> bytes:
        return sha256(self._address + b"\0" + body).digest()

    async def _load_or_fetch(
        self, key: bytes, request: CheckRequest, fetch: Fetch, earlier: Earlier | None
    ) -> CheckReply:
        if self._store is None:
            return await fetch()
        reply = self._load(self._store, key, request, earlier)
        if reply is None:
            # It is of the batch that asked; the next one may begin while this waits.
            batch = self._store.batch
            reply = await fetch()
            self._store.put(key, encode_reply(reply), batch)
        return reply

    def _keep(self, key: bytes, reply: CheckReply, size: int) -> None:
        self._replies[key] = reply, size
        self._bytes += size
        while self._bytes > self._max_bytes:
            _, (_, dropped_bytes) = self._replies.popitem(last=False)
            self._bytes -= dropped_bytes

    def _load(
        self, store: ReplyStore, key: bytes, request: CheckRequest, earlier: Earlier | None
    ) -> CheckReply | None:
        stored = store.get(key)
        if stored is None and earlier and store.began_with_2_0_0:
            stored = store.get(self._key(encode_request(earlier())), is_of_2_0_0=True)
        if stored is None:
            return None
        try:
            reply = decode_reply(stored[0], request)
        except msgspec.MsgspecError:  # Another version wrote it.
            return None
        return reply if stored[1] else _without_attempts(reply)


def _without_attempts(reply: CheckReply) -> CheckReply:
    return replace(reply, attempts=0)
