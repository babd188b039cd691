"""A checker on 127.0.0.1 with fault injection, down to the bytes on the wire."""

import asyncio
import json
import random
import threading
from collections.abc import Callable, Mapping
from typing import Self

from groundwatch.transforms.grounding.embedded_service import answer
from groundwatch.transforms.grounding.protocol import HttpReply
from tests.support.wire_faults import Exchange, Fault, good

Plan = Callable[[int], Fault]
"""What to do with each request, by its number from 0."""

Checker = Callable[[str, str, bytes], HttpReply]
"""What a good reply to method, path and body is."""

_START_TIMEOUT_S = _STOP_TIMEOUT_S = 60.0


def always(fault: Fault) -> Plan:
    """Answer every request alike."""
    return lambda _: fault


def in_turn(*faults: Fault) -> Plan:
    """Answer the first requests so, and all further ones well."""
    return lambda number: faults[number] if number < len(faults) else good


def at_random(seed: int, share: float, faults: Mapping[str, Fault]) -> Plan:
    """Answer this share of the requests by one of the faults, the same ones in every run."""

    def choose(number: int) -> Fault:
        chance = random.Random(f"{seed} {number}")  # noqa: S311 - chance that can be repeated
        return chance.choice(list(faults.values())) if chance.random() < share else good

    return choose


def by_answer(faults: Mapping[str, Fault]) -> Plan:
    """Answer requests about these answers so, and all others well."""

    async def choose(exchange: Exchange) -> bool:
        return await faults.get(exchange.asked, good)(exchange)

    return always(choose)


class Changing:
    """Answers by `reply`, which the test changes."""

    def __init__(self, reply: Fault) -> None:
        self.reply = reply

    async def __call__(self, exchange: Exchange) -> bool:
        return await self.reply(exchange)


class FaultServer:
    """Serves a checker over HTTP/1.1 on a thread of its own, faults included.

    Args:
      plan: what to do with each request.
      checker: who makes the good replies; the embedded checker by default.

    Attributes:
      address: where it listens, without a slash at the end.
      requests: how many came for the check.
      connections: how many were opened.
      most_at_once: how many requests were under way together at most.
      other_paths: what else was asked for, such as the target of a redirect.
    """

    def __init__(
        self,
        plan: Plan = always(good),  # noqa: B008 - a plan has no state
        checker: Checker = answer,
    ) -> None:
        self._plan = plan
        self._checker = checker
        self.address = ""
        self.requests = self.connections = self.most_at_once = self._at_once = 0
        self.other_paths: list[str] = []
        self._connections: set[asyncio.Task[None]] = set()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, name="fault-server", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._started.wait(_START_TIMEOUT_S), "the fault server did not start"
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join(_STOP_TIMEOUT_S)

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop, self._stopped = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0, backlog=1024)
        host, port = server.sockets[0].getsockname()
        self.address = f"http://{host}:{port}"
        self._started.set()
        await self._stopped.wait()
        server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        connection = asyncio.create_task(self._converse(reader, writer))
        self._connections.add(connection)
        connection.add_done_callback(self._connections.discard)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._serve_one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # The client has gone, as clients do after a fault.
        finally:
            writer.close()

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; return whether another may follow."""
        method, path, body = await _read_request(reader)
        reply = self._checker(method, path, body)
        if reply.status == 404:
            self.other_paths.append(path)
            return False
        fault = self._plan(self.requests)
        self.requests += 1
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            return await fault(Exchange(writer, reply.body, json.loads(body)["answerCandidate"]))
        finally:
            self._at_once -= 1


async def _read_request(reader: asyncio.StreamReader) -> tuple[str, str, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    request_line, *headers = head.split("\r\n")
    method, path, _ = request_line.split(" ")
    named = dict(header.lower().split(": ", 1) for header in headers if header)
    body = await reader.readexactly(int(named.get("content-length", 0)))
    return method, path, body
