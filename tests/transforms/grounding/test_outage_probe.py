"""An outage and an answer that always fails are told apart by an answer that can be checked."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import aclosing, suppress

import httpx
import pytest
import stamina

from groundwatch.transforms.grounding.client import GroundingClient
from groundwatch.transforms.grounding.errors import CheckFailed, Unavailable
from groundwatch.transforms.grounding.settings import CheckSettings, OutagePolicy, RetrySettings
from tests.support.checks import check_request

POISON = check_request("The poison lamp glows.", "A lamp glows.")
GOOD = check_request("The good lamp glows.", "The good lamp glows.")
REPLY = {"supportScore": 0.9, "claims": []}
ATTEMPTS = 3


@pytest.fixture(autouse=True)
def without_waits() -> Iterator[None]:
    with stamina.set_testing(True, attempts=1_000_000, cap=True):
        yield


class Checker(httpx.AsyncBaseTransport):
    """Fails for answers with a word; keeps all answers that it was asked about."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.asked: list[str] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(0)
        answer = json.loads(request.content)["answerCandidate"]
        self.asked.append(answer)
        return httpx.Response(503) if self.word in answer else httpx.Response(200, json=REPLY)


def client_of(checker: Checker, **retries: float) -> GroundingClient:
    settings = CheckSettings(
        checker="http://checker.example",
        endpoint="http://checker.example",
        outage=OutagePolicy.HOLD,
        retries=RetrySettings(
            **{"max_answer_attempts": ATTEMPTS, "probe_after_s": 0, "probe_every_s": 0} | retries
        ),
    )
    return GroundingClient(settings, transport=checker)


def test_an_answer_that_always_fails_uses_up_its_attempts_without_other_traffic() -> None:
    checker = Checker("poison")

    async def ask() -> None:
        async with aclosing(client_of(checker)) as client:
            await client.check(POISON)

    with pytest.raises(Unavailable):
        asyncio.run(ask())
    assert checker.asked.count("The poison lamp glows.") > ATTEMPTS
    assert [each for each in checker.asked if "poison" not in each]


def test_the_last_answer_that_succeeded_is_asked_again() -> None:
    checker = Checker("poison")

    async def ask() -> None:
        async with aclosing(client_of(checker)) as client:
            await client.check(GOOD)
            with suppress(CheckFailed):
                await client.check(POISON)

    asyncio.run(ask())
    assert checker.asked.count("The good lamp glows.") > 1


def test_while_the_probe_fails_too_everything_waits() -> None:
    checker = Checker("")

    async def ask() -> None:
        async with aclosing(client_of(checker)) as client:
            with suppress(TimeoutError):
                async with asyncio.timeout(0.5):
                    await client.check(POISON)
                pytest.fail("the call has ended")
            assert client.take_sent().calls >= len(checker.asked) > 2 * ATTEMPTS

    asyncio.run(ask())


def test_a_probe_waits_for_its_time() -> None:
    checker = Checker("poison")

    async def ask() -> None:
        async with aclosing(client_of(checker, probe_after_s=60, probe_every_s=60)) as client:
            with suppress(TimeoutError):
                async with asyncio.timeout(0.3):
                    await client.check(POISON)
                pytest.fail("the call has ended")

    asyncio.run(ask())
    assert set(checker.asked) == {"The poison lamp glows."}
