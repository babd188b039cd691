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
from groundwatch.transforms.grounding.settings import OutagePolicy
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

    def __init__(self, clock: ManualClock, policy: OutagePolicy, *, before: bool = False) -> None:
        self.refusals = Refusals(policy, lambda: before, clock)
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


FAIL, HOLD, REDELIVER = OutagePolicy
EPISODES = {
    "one, while the next is answered": (
        REDELIVER,
        {"start start refuse": [None], "succeed": [AnswerRefused]},
    ),
    "19 in a row, before the next is answered": (
        HOLD,
        {"start " * 20 + "refuse " * 19 + "succeed": [AnswerRefused] * 19},
    ),
    "20 in a row, before the next is answered": (
        HOLD,
        {"start " * 21 + "refuse " * 20 + "succeed": [Unavailable] * 20},
    ),
    "20 in a row, of a run that ends": (
        FAIL,
        {"start " * 21 + "refuse " * 20 + "succeed": [AnswerRefused] * 20},
    ),
    "the last of many": (FAIL, {"start succeed start refuse": [AnswerRefused]}),
    "the only one": (FAIL, {"start refuse": [Misconfigured]}),
    "all of five": (FAIL, {"start " * 5 + "refuse " * 5: [Misconfigured] * 5}),
    "20 at once, after an answer": (
        FAIL,
        {"start succeed " + "start " * 20 + "refuse " * 20: [AnswerRefused] * 20},
    ),
    "20 in a row, beside a call that hangs": (
        FAIL,
        {"start " + "start refuse " * 20: [None] * 20, "10": [Misconfigured] * 20},
    ),
    "a worker's first, where others may follow": (
        HOLD,
        {"start refuse 59": [None], "1": [Misconfigured]},
    ),
    "all of a worker's, after an answer": (
        HOLD,
        {"start succeed " + "start " * 20 + "refuse " * 20 + "9999": [None] * 20},
    ),
}
"""The policy; what happens, or seconds that pass, and what is found then."""


@pytest.mark.parametrize(("policy", "steps"), EPISODES.values(), ids=EPISODES)
def test_a_refusal_is_of_its_answer_if_another_call_is_answered_after_it(
    clock: ManualClock, policy: OutagePolicy, steps: dict[str, list[type[CheckFailed] | None]]
) -> None:
    async def run() -> None:
        calls = Calls(clock, policy)
        events = {"start": calls.start, "succeed": calls.succeed}
        for happening, expected in steps.items():
            for event in happening.split():
                if event == "refuse":
                    await calls.refuse()
                elif event in events:
                    events[event]()
                else:
                    clock.advance(float(event))
            assert await calls.kinds() == expected

    asyncio.run(run())


def test_a_worker_asks_before_its_first_success_and_goes_on_when_it_is_answered(
    clock: ManualClock,
) -> None:
    async def run() -> None:
        calls = Calls(clock, HOLD)
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
        calls, asked = Calls(clock, REDELIVER), []
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


@pytest.mark.parametrize(
    ("before", "reply", "after_s", "expected"),
    [
        (True, REFUSAL, 0, AnswerRefused),
        (False, None, 0, AnswerRefused),
        (False, REFUSAL, 0, Misconfigured),
        (False, Unavailable("HTTP 503"), 9, None),
        (False, Unavailable("HTTP 503"), 10, Misconfigured),
        (False, OverBudget("no call is left"), 0, Misconfigured),
    ],
)
def test_a_run_that_ends_stops_only_if_nothing_has_succeeded(
    clock: ManualClock,
    before: bool,
    reply: CheckFailed | None,
    after_s: float,
    expected: type[CheckFailed] | None,
) -> None:
    async def run() -> None:
        calls, asked = Calls(clock, FAIL, before=before), []

        async def ask() -> None:
            clock.advance(after_s if not asked else 0)
            asked.append(reply)
            if reply:
                raise reply
            calls.refusals.succeeded()

        for _ in range(5):
            calls.start()
        for _ in range(5):
            await calls.refuse(ask)
        assert await calls.kinds() == [expected] * 5
        for each in calls.classified:
            each.cancel()

    asyncio.run(run())
