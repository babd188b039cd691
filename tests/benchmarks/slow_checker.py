"""A checker in a process of its own that takes its time and measures how it is asked.

It answers every check after a latency, with the same valid reply, and notes when each came:
the steady rate is that of the middle eight tenths of the requests, without start and end.
"""

import asyncio
import multiprocessing
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

from aiohttp import web

_REPLY = b'{"supportScore": 0.9, "claims": []}'


class SlowChecker:
    """The handle of a running checker.

    Args:
      address: where it listens.
      pipe: to ask it for its measurements.
    """

    def __init__(self, address: str, pipe: Connection) -> None:
        self.address = address
        self._pipe = pipe

    def steady_rate(self) -> tuple[int, float]:
        """Return how many requests came since the last time, and the steady rate, a second."""
        self._pipe.send("measure")
        count, rate = self._pipe.recv()
        return count, rate


@contextmanager
def slow_checker(least_s: float, most_s: float) -> Iterator[SlowChecker]:
    """Run a checker whose latency is uniform between two bounds while the block lasts."""
    ours, theirs = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=_run, args=(theirs, least_s, most_s), daemon=True)
    process.start()
    try:
        yield SlowChecker(ours.recv(), ours)
    finally:
        ours.send("stop")
        process.join(5)
        process.kill()


def _run(pipe: Connection, least_s: float, most_s: float) -> None:
    asyncio.run(_serve(pipe, least_s, most_s))


async def _serve(pipe: Connection, least_s: float, most_s: float) -> None:
    loop = asyncio.get_running_loop()
    arrivals: list[float] = []
    stopped = asyncio.Event()
    chance = random.Random(1)  # noqa: S311 - no secret hangs on it

    async def answer(request: web.BaseRequest) -> web.Response:
        arrivals.append(loop.time())
        await request.read()
        await asyncio.sleep(chance.uniform(least_s, most_s))
        return web.Response(body=_REPLY, content_type="application/json")

    def listen() -> None:
        while pipe.recv() == "measure":
            pipe.send(_measured(arrivals))
            arrivals.clear()
        loop.call_soon_threadsafe(stopped.set)

    runner = web.ServerRunner(web.Server(answer, access_log=None))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=2048).start()
    pipe.send(f"http://127.0.0.1:{runner.addresses[0][1]}")
    threading.Thread(target=listen, daemon=True).start()
    await stopped.wait()
    await runner.cleanup()


def _measured(arrivals: list[float]) -> tuple[int, float]:
    count = len(arrivals)
    first, last = count // 10, count - count // 10 - 1
    seconds = arrivals[last] - arrivals[first] if count > 10 else 0.0
    return count, (last - first) / seconds if seconds else 0.0
