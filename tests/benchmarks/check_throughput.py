"""How many checks a second leave, by structure, against the same slow checker.

python -m tests.benchmarks.check_throughput [--in_flight 128] [--jitter] [--answers 6000]

Prints steady answers a second and the ratio to the first row, a bare asyncio script that uses
the project's own client.
"""

import argparse
import asyncio
import resource
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Self

import aiohttp
import apache_beam as beam
from apache_beam.io.requestresponse import Caller, RequestResponseIO
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from google.api_core.client_options import ClientOptions
from google.auth.credentials import AnonymousCredentials
from google.cloud import discoveryengine_v1beta

from pipeline.build import build_pipeline
from pipeline.config import Config
from schemas.message import Message
from schemas.wire.check import CheckRequest
from tests.benchmarks.generated_answers import generated_messages, write_archive
from tests.benchmarks.slow_checker import SlowChecker, slow_checker
from transforms.formats import parse_answer
from transforms.grounding.client import GroundingClient
from transforms.grounding.protocol import build_request, check_path, encode_request
from transforms.grounding.settings import CheckSettings
from transforms.rules.planning import plan_calls

_ONE_AT_A_TIME = 60
"""Checks for the structures that have one call in flight: more would only take longer."""

Structure = Callable[[CheckSettings, int], None]


def _requests(settings: CheckSettings, count: int) -> Iterator[CheckRequest]:
    for number, payload in enumerate(generated_messages(count)):
        answer = parse_answer(Message(payload=payload, place=str(number)))
        [call] = plan_calls(answer.answer_text, answer.facts, settings.limits)
        yield build_request(call, answer.facts, settings)


async def _in_flight(
    items: Iterable[CheckRequest], check: Callable[[CheckRequest], object], number: int
) -> None:
    """Keep so many checks under way until the items are used up."""
    left = iter(items)

    async def work() -> None:
        for item in left:
            await check(item)  # type: ignore[misc]

    await asyncio.gather(*(work() for _ in range(number)))


def bare_client(settings: CheckSettings, count: int) -> None:
    """An asyncio script on the project's own client."""

    async def run() -> None:
        async with GroundingClient(settings) as client:
            requests = _requests(settings, count)
            await _in_flight(requests, client.check, settings.max_in_flight)

    asyncio.run(run())


def bare_aiohttp(settings: CheckSettings, count: int) -> None:
    """An asyncio script on aiohttp, which believes whatever it gets."""
    url = settings.endpoint + check_path(settings)

    async def run() -> None:
        connector = aiohttp.TCPConnector(limit=settings.max_in_flight)
        async with aiohttp.ClientSession(connector=connector) as session:

            async def check(request: CheckRequest) -> object:
                async with session.post(url, data=encode_request(request)) as response:
                    return await response.json()

            await _in_flight(_requests(settings, count), check, settings.max_in_flight)

    asyncio.run(run())


def pipeline(settings: CheckSettings, count: int) -> None:
    """The whole of groundwatch: archive in, Avro out."""
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "answers.jsonl"
        write_archive(archive, count)
        root = beam.Pipeline(FnApiRunner(), options=PipelineOptions([]))
        config = Config(inputs=(str(archive),), output=folder, run="benchmark", check=settings)
        build_pipeline(root, config)
        root.run().wait_until_finish()


class _OfficialCaller(Caller[CheckRequest, object]):
    """Beam's RequestResponseIO over the official client."""

    def __init__(self, settings: CheckSettings) -> None:
        self._settings = settings

    def __enter__(self) -> Self:
        self._client = _official_client(self._settings)
        return self

    def __call__(self, request: CheckRequest, *_: object, **__: object) -> object:
        return self._client.check_grounding(_official_request(request, self._settings))


def request_response_io(settings: CheckSettings, count: int) -> None:
    """Beam's own transform for calls."""
    requests = list(_requests(settings, min(count, _ONE_AT_A_TIME)))
    root = beam.Pipeline(FnApiRunner(), options=PipelineOptions([]))
    _ = (
        root
        | "Requests" >> beam.Create(requests)
        | "Check" >> RequestResponseIO(_OfficialCaller(settings))
    )
    root.run().wait_until_finish()


def one_at_a_time(settings: CheckSettings, count: int) -> None:
    """The official client in a loop: what LangChain's check-grounding wrapper does."""
    client = _official_client(settings)
    for request in _requests(settings, min(count, _ONE_AT_A_TIME)):
        client.check_grounding(_official_request(request, settings))


def _official_client(
    settings: CheckSettings,
) -> discoveryengine_v1beta.GroundedGenerationServiceClient:
    service = discoveryengine_v1beta.GroundedGenerationServiceClient
    transport = service.get_transport_class("rest")(
        host=settings.endpoint.removeprefix("http://"),
        credentials=AnonymousCredentials(),
        url_scheme="http",
    )
    return service(transport=transport, client_options=ClientOptions())


def _official_request(
    request: CheckRequest, settings: CheckSettings
) -> discoveryengine_v1beta.CheckGroundingRequest:
    return discoveryengine_v1beta.CheckGroundingRequest(
        grounding_config=settings.grounding_config,
        answer_candidate=request.answer_candidate,
        facts=[{"fact_text": fact.fact_text} for fact in request.facts],
    )


STRUCTURES: dict[str, Structure] = {
    "bare asyncio, own client": bare_client,
    "bare asyncio, aiohttp": bare_aiohttp,
    "groundwatch, archive to Avro": pipeline,
    "Beam's RequestResponseIO": request_response_io,
    "official client, one at a time": one_at_a_time,
}


def _measure(
    name: str, structure: Structure, checker: SlowChecker, in_flight: int, count: int
) -> tuple[str, float, float]:
    settings = CheckSettings(
        checker=checker.address, endpoint=checker.address, max_in_flight=in_flight
    )
    before = _cpu_s()
    structure(settings, count)
    spent_s = _cpu_s() - before
    answered, rate = checker.steady_rate()
    return name, rate, spent_s / answered


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main(arguments: list[str] | None = None) -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--in_flight", type=int, default=128)
    parser.add_argument("--jitter", action="store_true", help="50 to 500 ms in place of 100 ms")
    parser.add_argument("--answers", type=int, default=6000)
    options = parser.parse_args(arguments)
    least_s, most_s = (0.05, 0.5) if options.jitter else (0.1, 0.1)
    with slow_checker(least_s, most_s) as checker:
        rows = [
            _measure(name, structure, checker, options.in_flight, options.answers)
            for name, structure in STRUCTURES.items()
        ]
    _, baseline, _ = rows[0]
    sys.stdout.write(f"{options.in_flight} in flight, {least_s * 1000:g}-{most_s * 1000:g} ms\n")
    for name, rate, cpu_s in rows:
        sys.stdout.write(
            f"{name:32} {rate:8,.0f}/s  {rate / baseline:6.1%}  {cpu_s * 1e6:7,.0f} us of CPU\n"
        )


if __name__ == "__main__":
    main()
