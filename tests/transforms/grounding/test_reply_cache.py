"""Replies that are paid for once, in memory and in a file."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest

from groundwatch.schemas.planned_run import Budget
from groundwatch.schemas.wire.grounding_check import CheckResponse
from groundwatch.transforms.grounding.protocol import CheckReply
from groundwatch.transforms.grounding.reply_cache import ReplyCache, ReplyStore
from groundwatch.transforms.persistence.database import Database
from tests.support.checks import check_request

ADDRESS = "http://checker/v1/c:check"
REQUEST = check_request("Lamps glow.", "Lamps glow.")


def a_reply(score: float = 0.5, attempts: int = 1) -> CheckReply:
    return CheckReply(response=CheckResponse(support_score=score), attempts=attempts)


class Fetcher:
    """Counts fetches; each waits until the test lets it go."""

    def __init__(self, error: Exception | None = None) -> None:
        self.fetches = 0
        self.go = asyncio.Event()
        self._error = error

    async def fetch(self) -> CheckReply:
        self.fetches += 1
        await self.go.wait()
        if self._error:
            raise self._error
        return a_reply()


def fetched(name: str, log: list[str]) -> Callable[[], Awaitable[CheckReply]]:
    async def fetch() -> CheckReply:
        log.append(name)
        return a_reply()

    return fetch


def test_another_caller_fetches_if_the_first_one_is_cancelled() -> None:
    async def scenario() -> tuple[int, list[CheckReply]]:
        cache, fetcher = ReplyCache(ADDRESS, 10_000), Fetcher()
        tasks = [asyncio.create_task(cache.get(REQUEST, b"same", fetcher.fetch)) for _ in range(3)]
        await asyncio.sleep(0)
        tasks[0].cancel()
        fetcher.go.set()
        replies = await asyncio.gather(*tasks[1:])
        return fetcher.fetches, replies

    fetches, replies = asyncio.run(scenario())
    assert fetches == 2
    assert replies == [a_reply(), a_reply(attempts=0)]


def test_a_fetch_is_cancelled_with_its_last_caller() -> None:
    async def scenario() -> tuple[int, int]:
        cache, fetcher = ReplyCache(ADDRESS, 10_000), Fetcher()
        waiting = [
            asyncio.create_task(cache.get(REQUEST, b"same", fetcher.fetch)) for _ in range(2)
        ]
        await asyncio.sleep(0)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        others = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*others, return_exceptions=True)
        before = fetcher.fetches
        fetcher.go.set()
        return before, (await cache.get(REQUEST, b"same", fetcher.fetch)).attempts

    before, attempts = asyncio.run(scenario())
    assert (before, attempts) == (1, 1)


def test_a_failure_is_shared_but_not_cached() -> None:
    async def scenario() -> tuple[list[CheckReply | BaseException], CheckReply]:
        cache, fetcher = ReplyCache(ADDRESS, 10_000), Fetcher(ValueError("refused"))
        fetcher.go.set()
        outcomes = await asyncio.gather(
            *(cache.get(REQUEST, b"same", fetcher.fetch) for _ in range(2)), return_exceptions=True
        )
        return outcomes, await cache.get(REQUEST, b"same", fetched("later", []))

    outcomes, later = asyncio.run(scenario())
    assert [type(outcome) for outcome in outcomes] == [ValueError, ValueError]
    assert later == a_reply()


def test_the_least_recently_used_reply_is_dropped_first() -> None:
    async def scenario() -> list[str]:
        log: list[str] = []
        cache = ReplyCache(ADDRESS, max_bytes=2 * 2100)
        for key in (b"a", b"b", b"a", b"c", b"a", b"b"):
            await cache.get(REQUEST, key, fetched(key.decode(), log))
        return log

    assert asyncio.run(scenario()) == ["a", "b", "c", "b"]


@pytest.mark.parametrize("size", [1, 5_000, 50_000])
def test_the_cache_stays_within_its_bytes(size: int) -> None:
    async def scenario() -> int:
        log: list[str] = []
        cache = ReplyCache(ADDRESS, max_bytes=20_000)
        bodies = [bytes([number]) * size for number in range(30)]
        for body in bodies:
            await cache.get(REQUEST, body, fetched("x", log))
        log.clear()
        for body in reversed(bodies):
            await cache.get(REQUEST, body, fetched("x", log))
        return len(bodies) - len(log)

    kept = asyncio.run(scenario())
    assert kept * size <= 20_000


def asked_again(path: Path, address: str, body: bytes = b"same") -> tuple[CheckReply, list[str]]:
    """Ask a cache of a new process, as it were, that keeps its replies in a file."""
    log: list[str] = []

    async def ask() -> CheckReply:
        with closing(ReplyStore(str(path))) as store:
            cache = ReplyCache(address, 10_000, store)
            return await cache.get(REQUEST, body, fetched("paid", log))

    return asyncio.run(ask()), log


def test_a_stored_reply_is_not_paid_for_again(tmp_path: Path) -> None:
    path = tmp_path / "paid" / "replies.sqlite"
    assert asked_again(path, ADDRESS) == (a_reply(), ["paid"])
    assert asked_again(path, ADDRESS) == (a_reply(attempts=0), [])


def test_a_stored_reply_of_another_version_is_fetched_once_more(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    asked_again(path, ADDRESS)
    with closing(Database(str(path), "", durable=False)) as database:
        database.write("UPDATE replies SET reply = ?", b"\x93\x01\xc0\x90")
    assert asked_again(path, ADDRESS) == (a_reply(), ["paid"])
    assert asked_again(path, ADDRESS) == (a_reply(attempts=0), [])


@pytest.mark.parametrize(
    ("address", "body"),
    [("http://other/v1/c:check", b"same"), (ADDRESS, b"other")],
    ids=["another checker", "another request"],
)
def test_the_store_distinguishes_checkers_and_requests(
    tmp_path: Path, address: str, body: bytes
) -> None:
    path = tmp_path / "replies.sqlite"
    asked_again(path, ADDRESS)
    assert asked_again(path, address, body) == (a_reply(), ["paid"])


KEYS = [b"first", b"second", b"third"]
ONE_CALL = Budget(max_calls=1)


@pytest.fixture
def store(tmp_path: Path) -> ReplyStore:
    return ReplyStore(str(tmp_path / "paid" / "replies.sqlite"))


def test_a_reply_that_comes_late_belongs_to_the_batch_that_asked(store: ReplyStore) -> None:
    async def fetch() -> CheckReply:
        store.start_batch(2, is_retry=False)
        return a_reply()

    store.start_batch(1, is_retry=False)
    for _ in range(2):
        reply = asyncio.run(ReplyCache(ADDRESS, 0, store).get(REQUEST, b"same", fetch))
        assert reply.attempts == 1
        store.start_batch(1, is_retry=True)


def test_a_reply_of_an_interrupted_batch_belongs_to_the_next_batch_that_reads_it(
    store: ReplyStore,
) -> None:
    for batch, key in enumerate(KEYS):
        store.start_batch(batch, is_retry=False)
        store.put(key, b"reply", store.batch)
    store.start_batch(1, is_retry=True)
    assert [store.get(key) for key in KEYS] == [
        (b"reply", False),
        (b"reply", True),
        (b"reply", False),
    ]
    assert store.get(KEYS[1]) == (b"reply", False)


@pytest.mark.parametrize(
    ("max_calls", "max_characters", "allowed"),
    [(None, None, 10), (4, None, 4), (None, 35, 3), (None, 40, 4), (2, 1000, 2), (1, 9, 0)],
)
def test_calls_are_allowed_up_to_the_budget(
    store: ReplyStore, max_calls: int | None, max_characters: int | None, allowed: int
) -> None:
    taken = [
        store.spend(10, Budget(max_calls=max_calls, max_characters=max_characters))
        for _ in range(10)
    ]
    assert taken == [True] * allowed + [False] * (10 - allowed)


def test_an_unsent_call_is_refunded(store: ReplyStore) -> None:
    assert store.spend(10, ONE_CALL)
    store.refund(10)
    assert store.spend(10, Budget(max_calls=1, max_characters=10))
    assert not store.spend(10, ONE_CALL)


def test_calls_without_a_limit_are_counted_before_they_are_sent(tmp_path: Path) -> None:
    path = str(tmp_path / "replies.sqlite")
    store, other = ReplyStore(path), ReplyStore(path)
    assert store.spend(10, Budget())
    assert other.spent() == (1, 10)
    assert store.spend(7, Budget())
    store.refund(10)
    assert other.spent() == store.spent() == (1, 7)


def test_replies_are_written_some_at_a_time_and_can_be_read_before(tmp_path: Path) -> None:
    path = str(tmp_path / "replies.sqlite")
    store, other = ReplyStore(path, replies_per_write=3), ReplyStore(path)
    seen: list[list[bool]] = []
    for key in KEYS:
        store.put(key, b"reply", store.batch)
        assert store.get(key) == (b"reply", False)
        seen.append([other.get(each) is not None for each in KEYS])
    assert seen == [[False] * 3, [False] * 3, [True] * 3]
    store.put(b"fourth", b"reply", store.batch)
    store.start_batch(7, is_retry=False)
    assert other.get(b"fourth") == (b"reply", False)


def test_for_a_new_plan_all_replies_belong_to_no_batch(store: ReplyStore) -> None:
    store.put(KEYS[0], b"reply", 7)
    store.release_all()
    assert [store.get(KEYS[0]) for _ in range(2)] == [(b"reply", True), (b"reply", False)]


def test_deleting_the_replies_keeps_the_count_of_calls(store: ReplyStore) -> None:
    assert store.spend(10, ONE_CALL)
    store.put(KEYS[0], b"reply", 7)
    store.delete_replies()
    assert store.get(KEYS[0]) is None
    assert not store.spend(10, ONE_CALL)
    assert store.spent() == (1, 10)


def test_concurrent_processes_share_the_budget(tmp_path: Path) -> None:
    taken: list[bool] = []

    def take() -> None:
        store = ReplyStore(str(tmp_path / "replies.sqlite"))
        taken.extend(store.spend(1, Budget(max_calls=100)) for _ in range(60))
        store.close()

    threads = [Thread(target=take, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(taken) == 100
