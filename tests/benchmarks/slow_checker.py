"""A checker in a process of its own that takes its time, fails now and then, and is measured.

It answers every check after a latency, so many at once, with a valid reply that follows from the
answer, and notes when each came: the steady rate is that of the middle eight tenths of the
calls, without start and end.
"""

import asyncio
import multiprocessing
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

from groundwatch.schemas import Record
from tests.benchmarks.made_replies import made_reply
from tests.support.fault_server import FaultServer, always, at_random
from tests.support.wire_faults import BAD_REPLIES, UNAVAILABLE, Exchange, Fault, good, reset, status

NO_REPLY_S = 12.0
"""Longer than the 10 s that groundwatch waits for one."""

_MANY = 100_000
_SEED = 8


async def no_reply(_: Exchange) -> bool:
    """Say nothing for long, then hang up, as load balancers do."""
    await asyncio.sleep(NO_REPLY_S)
    return False


FAULTS: dict[str, Fault] = {
    "503": UNAVAILABLE["503"],
    "429 that asks for a second": status(429, "RESOURCE_EXHAUSTED", "Retry-After: 1"),
    "connection reset": reset,
    f"no reply for {NO_REPLY_S:g} s": no_reply,
    "broken JSON": BAD_REPLIES["cut JSON"],
}
"""Each as likely as the others."""


class Calls(Record, frozen=True, kw_only=True):
    """How the checker was called.

    Attributes:
      number: of calls.
      steady_per_s: the rate of their middle eight tenths; 0 for too few.
    """

    number: int
    steady_per_s: float


class SlowChecker:
    """The handle of a running checker.

    Args:
      address: where it listens.
      pipe: commands to the process, and its measurements.
    """

    def __init__(self, address: str, pipe: Connection) -> None:
        self.address = address
        self._pipe = pipe

    def begin(self, fault_share: float = 0.0) -> Calls:
        """Delete the recorded calls, and fail a share of the next ones, the same in every run.

        Returns:
          What was noted since the last time.
        """
        self._pipe.send(fault_share)
        number, steady_per_s = self._pipe.recv()
        return Calls(number=number, steady_per_s=steady_per_s)


@contextmanager
def slow_checker(least_s: float, most_s: float, capacity: int = _MANY) -> Iterator[SlowChecker]:
    """Run a checker while the block lasts.

    Args:
      least_s: the shortest latency.
      most_s: the longest; any between the two is as likely.
      capacity: how many calls it works on at once; further ones wait for their turn.
    """
    ours, theirs = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=_run, args=(theirs, least_s, most_s, capacity), daemon=True)
    process.start()
    # Else nobody would learn that the process has ended.
    theirs.close()
    try:
        yield SlowChecker(ours.recv(), ours)
    finally:
        process.kill()
        process.join()


def _run(pipe: Connection, least_s: float, most_s: float, capacity: int) -> None:
    calls = _CallPlan(least_s, most_s, capacity)
    with FaultServer(calls.plan, made_reply) as server:
        pipe.send(server.address)
        while True:
            pipe.send(calls.begin(pipe.recv()))


class _CallPlan:
    """What becomes of each call, and when each came."""

    def __init__(self, least_s: float, most_s: float, capacity: int) -> None:
        self._latency_s = least_s, most_s
        self._places = asyncio.Semaphore(capacity)
        self._chance = random.Random(_SEED)  # noqa: S311 - no secret hangs on it
        self._arrivals: list[float] = []
        self._choose = always(good)

    def begin(self, fault_share: float) -> tuple[int, float]:
        noted, self._arrivals = self._arrivals, []
        self._choose = at_random(_SEED, fault_share, FAULTS) if fault_share else always(good)
        return len(noted), _steady_per_s(noted)

    def plan(self, _: int) -> Fault:
        fault = self._choose(len(self._arrivals))
        self._arrivals.append(time.monotonic())

        async def reply(exchange: Exchange) -> bool:
            async with self._places:
                await asyncio.sleep(self._chance.uniform(*self._latency_s))
            return await fault(exchange)

        return reply


def _steady_per_s(arrivals: list[float]) -> float:
    first, last = len(arrivals) // 10, len(arrivals) - len(arrivals) // 10 - 1
    seconds = arrivals[last] - arrivals[first] if last > first else 0.0
    return (last - first) / seconds if seconds else 0.0
