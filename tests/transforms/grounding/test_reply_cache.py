import asyncio
from collections.abc import Awaitable, Callable

import pytest

from transforms.grounding.reply_cache import ReplyCache


class Fetcher:
    """Counts fetches; each waits until the test lets it go."""

    def __init__(self, error: Exception | None = None) -> None:
        self.fetches = 0
        self.go = asyncio.Event()
        self._error = error

    async def fetch(self) -> str:
        self.fetches += 1
        await self.go.wait()
        if self._error:
            raise self._error
        return "reply"


def fetched(reply: str, log: list[str]) -> Callable[[], Awaitable[str]]:
    async def fetch() -> str:
        log.append(reply)
        return reply

    return fetch


def test_identical_requests_under_way_share_one_fetch() -> None:
    async def scenario() -> tuple[int, list[tuple[str, bool]]]:
        cache, fetcher = ReplyCache[str](10_000), Fetcher()
        tasks = [asyncio.create_task(cache.get(b"same", fetcher.fetch)) for _ in range(5)]
        await asyncio.sleep(0)
        fetcher.go.set()
        replies = await asyncio.gather(*tasks)
        return fetcher.fetches, replies

    fetches, replies = asyncio.run(scenario())
    assert fetches == 1
    assert replies == [("reply", False)] + [("reply", True)] * 4


def test_the_others_get_the_reply_when_the_first_to_ask_is_cancelled() -> None:
    async def scenario() -> tuple[str, bool]:
        cache, fetcher = ReplyCache[str](10_000), Fetcher()
        first = asyncio.create_task(cache.get(b"same", fetcher.fetch))
        second = asyncio.create_task(cache.get(b"same", fetcher.fetch))
        await asyncio.sleep(0)
        first.cancel()
        fetcher.go.set()
        return await second

    assert asyncio.run(scenario()) == ("reply", True)


def test_a_failure_is_shared_but_not_kept() -> None:
    async def scenario() -> tuple[list[str | BaseException], tuple[str, bool]]:
        cache, fetcher = ReplyCache[str](10_000), Fetcher(ValueError("refused"))
        fetcher.go.set()
        outcomes = await asyncio.gather(
            *(cache.get(b"same", fetcher.fetch) for _ in range(2)), return_exceptions=True
        )
        return outcomes, await cache.get(b"same", fetched("later", []))  # type: ignore[return-value]

    outcomes, later = asyncio.run(scenario())
    assert [type(outcome) for outcome in outcomes] == [ValueError, ValueError]
    assert later == ("later", False)


def test_the_longest_unused_reply_goes_first() -> None:
    async def scenario() -> list[str]:
        log: list[str] = []
        cache = ReplyCache[str](max_bytes=2 * 2100)
        for key in (b"a", b"b", b"a", b"c", b"a", b"b"):
            await cache.get(key, fetched(key.decode(), log))
        return log

    assert asyncio.run(scenario()) == ["a", "b", "c", "b"]


@pytest.mark.parametrize("size", [1, 5_000, 50_000])
def test_what_is_kept_stays_within_the_bytes(size: int) -> None:
    async def scenario() -> int:
        log: list[str] = []
        cache = ReplyCache[str](max_bytes=20_000)
        bodies = [bytes([number]) * size for number in range(30)]
        for body in bodies:
            await cache.get(body, fetched("x", log))
        log.clear()
        for body in reversed(bodies):
            await cache.get(body, fetched("x", log))
        return len(bodies) - len(log)

    kept = asyncio.run(scenario())
    assert kept * size <= 20_000


def test_a_fetch_that_nobody_waits_for_any_more_ends() -> None:
    async def scenario() -> tuple[int, bool]:
        cache, fetcher = ReplyCache[str](10_000), Fetcher()
        waiting = [asyncio.create_task(cache.get(b"same", fetcher.fetch)) for _ in range(2)]
        await asyncio.sleep(0)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        others = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*others, return_exceptions=True)
        fetcher.go.set()
        return fetcher.fetches, (await cache.get(b"same", fetcher.fetch))[1]

    fetches, was_cached = asyncio.run(scenario())
    assert (fetches, was_cached) == (1, False)
