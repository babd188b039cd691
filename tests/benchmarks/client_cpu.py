"""Processor time per call of the client, in units of a bare aiohttp script's.

python -m tests.benchmarks.client_cpu [--calls 4000] [--in_flight 128 256] [--rounds 3]

The checker runs in a process of its own and answers after 100 ms. Each contender runs in a new
process, in turns, so that all of them see the same load of the machine. Prints the least and the
median of the rounds in microseconds per call, and the ratio of the medians.
"""

import argparse
import asyncio
import multiprocessing
import resource
import statistics
import sys
from collections.abc import Awaitable, Callable, Iterable
from contextlib import aclosing

import aiohttp
import httpx
import msgspec

from groundwatch.schemas.wire.grounding_check import (
    CheckRequest,
    CheckResponse,
    GroundingFact,
    GroundingSpec,
)
from groundwatch.transforms.grounding.client import GroundingClient
from groundwatch.transforms.grounding.settings import CheckSettings
from groundwatch.transforms.grounding.transport import HttpTransport
from tests.benchmarks.slow_checker import slow_checker

_PATH = "/v1beta/projects/-/locations/global/groundingConfigs/default_grounding_config:check"
_LATENCY_S = 0.1
_WARM_UP = 500
_FACT = "A cylinder head gasket seals the head against the block. " * 8

Call = Callable[[CheckRequest], Awaitable[object]]


def _request(number: int) -> CheckRequest:
    return CheckRequest(
        answer_candidate=" ".join([f"Part {number} of the gasket seals."] * 10),
        facts=tuple(GroundingFact(fact_text=_FACT) for _ in range(5)),
        grounding_spec=GroundingSpec(citation_threshold=0.6, enable_claim_level_score=True),
    )


async def _measure(call: Call, calls: int, in_flight: int) -> float:
    """Return the microseconds of processor time per call."""

    async def work(numbers: Iterable[int]) -> None:
        for number in numbers:
            await call(_request(number))

    async def run(calls: int) -> None:
        numbers = iter(range(calls))
        await asyncio.gather(*(work(numbers) for _ in range(in_flight)))

    await run(_WARM_UP)
    before_s = _processor_s()
    await run(calls)
    return (_processor_s() - before_s) / calls * 1e6


def _processor_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def _aiohttp_script(address: str, calls: int, in_flight: int) -> float:
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=in_flight), timeout=aiohttp.ClientTimeout(total=10)
    ) as session:

        async def call(request: CheckRequest) -> object:
            body = msgspec.to_builtins(request)
            async with session.post(address + _PATH, json=body) as response:
                return await response.json()

        return await _measure(call, calls, in_flight)


async def _client(address: str, calls: int, in_flight: int) -> float:
    settings = CheckSettings(
        checker=address, endpoint=address, max_in_flight=in_flight, cache_bytes=0
    )
    async with aclosing(GroundingClient(settings)) as client:
        return await _measure(client.check, calls, in_flight)


async def _transport(address: str, calls: int, in_flight: int) -> float:
    url = httpx.URL(address + _PATH)
    async with HttpTransport(url, 1_000_000) as transport:
        return await _measure(_through(transport, url), calls, in_flight)


async def _httpx_pool(address: str, calls: int, in_flight: int) -> float:
    limits = httpx.Limits(max_connections=in_flight, max_keepalive_connections=in_flight)
    async with httpx.AsyncHTTPTransport(limits=limits) as transport:
        return await _measure(_through(transport, httpx.URL(address + _PATH)), calls, in_flight)


async def _httpx_aiohttp(address: str, calls: int, in_flight: int) -> float:
    from httpx_aiohttp import AiohttpTransport  # noqa: PLC0415 - not a dependency

    url = httpx.URL(address + _PATH)
    session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=in_flight))
    async with AiohttpTransport(client=session) as transport:
        return await _measure(_through(transport, url), calls, in_flight)


def _through(transport: httpx.AsyncBaseTransport, url: httpx.URL) -> Call:
    async def call(request: CheckRequest) -> object:
        body = msgspec.json.encode(request)
        response = await transport.handle_async_request(
            httpx.Request("POST", url, content=body, extensions={"timeout": {}})
        )
        return msgspec.json.decode(await response.aread(), type=CheckResponse)

    return call


_CONTENDERS = {
    "a script on aiohttp": _aiohttp_script,
    "groundwatch's client": _client,
    "its transport alone": _transport,
    "httpx's pool alone": _httpx_pool,
    "httpx-aiohttp alone": _httpx_aiohttp,
}

_DEFAULT = [name for name in _CONTENDERS if name != "httpx-aiohttp alone"]
"""That one needs `pip install httpx-aiohttp` first."""


def _run(name: str, address: str, calls: int, in_flight: int) -> float:
    return asyncio.run(_CONTENDERS[name](address, calls, in_flight))


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=4_000)
    parser.add_argument("--in_flight", type=int, nargs="+", default=[128, 256])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", default=_DEFAULT, choices=_CONTENDERS)
    options = parser.parse_args(arguments)
    context = multiprocessing.get_context("spawn")
    with slow_checker(_LATENCY_S, _LATENCY_S) as checker:
        for in_flight in options.in_flight:
            taken: dict[str, list[float]] = {name: [] for name in options.only}
            for name in [*options.only] * options.rounds:
                with context.Pool(1) as pool:
                    given = (name, checker.address, options.calls, in_flight)
                    taken[name].append(pool.apply(_run, given))
            unit = statistics.median(taken[options.only[0]])
            for name, measured in taken.items():
                median = statistics.median(measured)
                sys.stdout.write(
                    f"{in_flight:4} in flight  {name:22} {min(measured):5.0f} / {median:5.0f} µs"
                    f"  {median / unit:.2f}\n"
                )


if __name__ == "__main__":
    main()
