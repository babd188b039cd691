"""How the client behaves when the checker goes away for a while and comes back.

python -m tests.benchmarks.outage_run [--outage_s 60]

The checker answers after 50 ms, then refuses every call with 503, then answers again. Prints the
calls that reached it, second by second, and how long they took to fall and to come back.
"""

import argparse
import asyncio
import itertools
import sys
import time
from collections import Counter

from schemas.message import Message
from tests.benchmarks.generated_answers import generated_messages
from tests.support.answer_messages import parse_answer
from tests.support.fault_server import FaultServer
from tests.support.wire_faults import Fault, after, status
from transforms.grounding.check_session import check_answer
from transforms.grounding.client import GroundingClient
from transforms.grounding.errors import CheckFailed
from transforms.grounding.rate_limiter import AdaptiveThrottle
from transforms.grounding.settings import CheckSettings

_GOOD_S = 15
_IN_FLIGHT = 64
_DIFFERENT_ANSWERS = 200


class _Checker:
    """Answers, refuses, answers; and notes in which second each call came."""

    def __init__(self, outage_s: int) -> None:
        self.calls: Counter[int] = Counter()
        self.started_s = time.monotonic()
        self._refused = range(_GOOD_S, _GOOD_S + outage_s)

    def plan(self, _: int) -> Fault:
        second = int(time.monotonic() - self.started_s)
        self.calls[second] += 1
        return status(503, "UNAVAILABLE") if second in self._refused else after(0.05)


async def _ask(address: str, seconds: float) -> None:
    settings = CheckSettings(
        checker=address, endpoint=address, max_in_flight=_IN_FLIGHT, cache_bytes=0
    )
    answers = itertools.cycle(
        [
            parse_answer(Message(payload=payload, place=""))
            for payload in generated_messages(_DIFFERENT_ANSWERS)
        ]
    )
    ends_s = time.monotonic() + seconds

    async def work(client: GroundingClient) -> None:
        while time.monotonic() < ends_s:
            try:
                await check_answer(next(answers), client, settings)
            except CheckFailed:
                continue

    async with GroundingClient(settings, AdaptiveThrottle()) as client:
        work_all = asyncio.gather(*(work(client) for _ in range(_IN_FLIGHT)))
        await asyncio.wait([work_all], timeout=seconds)
        work_all.cancel()


def main(arguments: list[str] | None = None) -> None:
    """Run it and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--outage_s", type=int, default=60)
    options = parser.parse_args(arguments)
    checker = _Checker(options.outage_s)
    end_s = _GOOD_S + 2 * options.outage_s
    with FaultServer(checker.plan) as server:
        asyncio.run(_ask(server.address, end_s))
    usual = sum(checker.calls[second] for second in range(5, _GOOD_S)) / (_GOOD_S - 5)
    back_s = _GOOD_S + options.outage_s
    fallen = next(s for s in range(_GOOD_S, back_s) if checker.calls[s] <= usual / 10)
    returned = next((s for s in range(back_s, end_s) if checker.calls[s] >= usual * 0.9), None)
    sys.stdout.write(
        f"calls a second: {[checker.calls[second] for second in range(end_s)]}\n"
        f"usual {usual:.0f}/s; at a tenth or less after {fallen - _GOOD_S} s of outage;"
        f" {sum(checker.calls[s] for s in range(fallen, back_s))} calls in the rest of it;"
        f" back to nine tenths {'never' if returned is None else f'{returned - back_s} s'}"
        f" after its end\n"
    )


if __name__ == "__main__":
    main()
