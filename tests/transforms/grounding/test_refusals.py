"""Whether a refusal is of one answer or of every call."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from groundwatch.transforms.grounding import refusals
from groundwatch.transforms.grounding.errors import (
    AnswerRefused,
    CheckFailed,
    Misconfigured,
    OverBudget,
    Unavailable,
)
from groundwatch.transforms.grounding.refusals import Refusals
from tests.support.clocks import ManualClock

REFUSAL = Misconfigured("HTTP 403")


@pytest.fixture(autouse=True)
def without_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusals, "_POLL_S", 0)
    monkeypatch.setattr(refusals, "_ASK_AGAIN_S", 0)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


class Calls:
    """Calls that are under way together."""

    def __init__(self, clock: ManualClock, wait_s: float = 0.0) -> None:
        self.refusals = Refusals(wait_s, clock)
        self.classified: list[asyncio.Task[CheckFailed]] = []

    def start(self) -> None:
        self.refusals.in_flight += 1

    def succeed(self) -> None:
        self.refusals.succeeded()
        self.refusals.in_flight -= 1

    async def refuse(self, ask: Callable[[], Awaitable[None]] | None = None) -> None:
        """Let a call that was started be refused."""
        self.classified.append(asyncio.create_task(self._classify(ask)))
        for _ in range(5):
            await asyncio.sleep(0)

    async def _classify(self, ask: Callable[[], Awaitable[None]] | None) -> CheckFailed:
        try:
            return await self.refusals.classify(REFUSAL, ask)
        finally:
            self.refusals.in_flight -= 1

    async def kinds(self) -> list[type[CheckFailed] | None]:
        """What each refusal is found to be; None where it is not known yet."""
        for _ in range(20):
            await asyncio.sleep(0)
        return [type(each.result()) if each.done() else None for each in self.classified]


def test_a_call_that_is_refused_while_the_next_is_answered_is_refused_alone(
    clock: ManualClock,
) -> None:
    async def run() -> None:
        calls = Calls(clock)
        calls.start()
        calls.start()
        await calls.refuse()
        assert await calls.kinds() == [None]
        calls.succeed()
        assert await calls.kinds() == [AnswerRefused]

    asyncio.run(run())


@pytest.mark.parametrize(("refused", "expected"), [(19, AnswerRefused), (20, Unavailable)])
def test_many_calls_in_a_row_are_refused_for_a_moment_if_the_next_is_answered(
    clock: ManualClock, refused: int, expected: type[CheckFailed]
) -> None:
    async def run() -> None:
        calls = Calls(clock, wait_s=60.0)
        for _ in range(refused + 1):
            calls.start()
        for _ in range(refused):
            await calls.refuse()
        calls.succeed()
        assert await calls.kinds() == [expected] * refused

    asyncio.run(run())


def test_the_last_call_of_many_is_refused_alone(clock: ManualClock) -> None:
    async def run() -> None:
        calls = Calls(clock)
        calls.start()
        calls.succeed()
        calls.start()
        await calls.refuse()
        assert await calls.kinds() == [AnswerRefused]

    asyncio.run(run())


@pytest.mark.parametrize("count", [1, 5, 30])
def test_where_all_calls_are_refused_every_call_is(clock: ManualClock, count: int) -> None:
    async def run() -> None:
        calls = Calls(clock)
        for _ in range(count):
            calls.start()
        for _ in range(count):
            await calls.refuse()
        assert await calls.kinds() == [Misconfigured] * count

    asyncio.run(run())


def test_many_refusals_at_once_are_of_every_call_though_some_were_answered_before(
    clock: ManualClock,
) -> None:
    async def run() -> None:
        calls = Calls(clock)
        calls.start()
        calls.succeed()
        for _ in range(20):
            calls.start()
        for _ in range(20):
            await calls.refuse()
        assert await calls.kinds() == [Misconfigured] * 20

    asyncio.run(run())


def test_many_refusals_without_an_answer_in_between_are_of_every_call(clock: ManualClock) -> None:
    async def run() -> None:
        calls = Calls(clock)
        calls.start()  # Hangs.
        for _ in range(20):
            calls.start()
            await calls.refuse()
        assert set(await calls.kinds()) == {None}
        clock.advance(10)
        assert set(await calls.kinds()) == {Misconfigured}

    asyncio.run(run())


def test_a_worker_asks_before_its_first_success_and_goes_on_when_it_is_answered(
    clock: ManualClock,
) -> None:
    async def run() -> None:
        calls = Calls(clock, wait_s=60.0)
        refusing = True

        async def ask() -> None:
            if refusing:
                raise REFUSAL
            calls.refusals.succeeded()

        calls.start()
        await calls.refuse(ask)
        clock.advance(59)
        assert await calls.kinds() == [None]
        refusing = False
        assert await calls.kinds() == [Unavailable]

    asyncio.run(run())


def test_a_worker_waits_for_other_calls_before_it_stops(clock: ManualClock) -> None:
    async def run() -> None:
        calls = Calls(clock, wait_s=60.0)
        calls.start()
        await calls.refuse()
        clock.advance(59)
        assert await calls.kinds() == [None]
        clock.advance(1)
        assert await calls.kinds() == [Misconfigured]

    asyncio.run(run())


@pytest.mark.parametrize(
    ("replies", "after_s", "expected"),
    [
        ([None], 0, AnswerRefused),
        ([REFUSAL], 10, Misconfigured),
        ([REFUSAL, None], 9, Unavailable),
        ([REFUSAL], 9, None),
        ([Unavailable("HTTP 503"), None], 9, AnswerRefused),
        ([Unavailable("HTTP 503")], 60, None),
        ([OverBudget("no call is left")], 0, AnswerRefused),
    ],
    ids=[
        *("answers another", "refuses all", "refuses all for a moment", "still refuses all"),
        *("is away", "stays away", "cannot be asked"),
    ],
)
@pytest.mark.parametrize("refused", [1, 5])
def test_a_checker_without_other_calls_is_asked(
    clock: ManualClock,
    replies: list[CheckFailed | None],
    after_s: float,
    expected: type[CheckFailed] | None,
    refused: int,
) -> None:
    async def run() -> None:
        calls, asked = Calls(clock), []
        calls.start()
        calls.succeed()

        async def ask() -> None:
            clock.advance(after_s if not asked else 0)
            asked.append(replies[min(len(asked), len(replies) - 1)])
            if asked[-1]:
                raise asked[-1]
            calls.refusals.succeeded()

        for _ in range(refused):
            calls.start()
        for _ in range(refused):
            await calls.refuse(ask)
        assert await calls.kinds() == [expected] * refused
        # One call asks for all.
        assert replies[-1] or asked == replies
        for each in calls.classified:
            each.cancel()

    asyncio.run(run())
