"""Serve the embedded checker over HTTP, with the protocol of Google's service."""

import asyncio
import logging
import resource
import signal
import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial

from groundwatch.launch import http_server
from groundwatch.launch.cli.commands.serve_checker import ServeCheckerSettings
from groundwatch.launch.cli.terminal.exit_status import DONE, fail
from groundwatch.launch.targets.http_sender import read_secret
from groundwatch.launch.targets.target import TargetMisconfigured
from groundwatch.pipeline.settings.load import Loaded
from groundwatch.schemas.quantities import MEGABYTE
from groundwatch.transforms.grounding.embedded_service import (
    BY_WORDS,
    EmbeddedChecker,
    LocalTransport,
    load_checker,
    refuse,
)
from groundwatch.transforms.grounding.errors import Misconfigured
from groundwatch.transforms.grounding.protocol import HttpReply
from groundwatch.transforms.grounding.scorers.llm_judge import LlmJudge
from groundwatch.transforms.grounding.settings import model_of
from groundwatch.transforms.runtime.processors import usable_processors

# Enough for 200 facts of 10,000 characters with every character escaped in JSON.
_MAX_BODY_BYTES = 32 * MEGABYTE
_MAX_SMALL_BYTES = 64_000
_THREADS = 2
_JUDGE_THREADS = 32  # calls of the judge at a time
_KEY = "OPENAI_API_KEY"
_MAX_CONNECTIONS = 1_024
_RESERVED_FILES = 64  # open files for everything except connections
_DEADLINE_S = 30.0  # for a client to send the head of a request, its body, and to read the response
_log = logging.getLogger(__name__)


def serve_checker(loaded: Loaded[ServeCheckerSettings]) -> int:
    """Serve checks until SIGINT or SIGTERM, then wait a few seconds for those under way."""
    loaded.raise_problems()
    settings, judge = loaded.settings, None
    try:
        if settings.judge and settings.judge_model:
            key = read_secret(_KEY, in_header=True)
            judge = LlmJudge(settings.judge, settings.judge_model, key)
            checker, threads = EmbeddedChecker(judge.check, judge.revision), _JUDGE_THREADS
        else:
            model = model_of(settings.scorer)
            # Before signals have handlers: a model may be downloaded.
            checker = load_checker(model, settings.scorer_weight)
            threads = usable_processors() if model else _THREADS
        asyncio.run(_serve(settings, checker, threads, judge))
    except (OSError, Misconfigured, TargetMisconfigured) as error:
        return fail(f"the checker cannot be served: {error}")
    return DONE


async def _serve(
    settings: ServeCheckerSettings, checker: EmbeddedChecker, threads: int, judge: LlmJudge | None
) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with listening(settings.serve_port, settings.serve_host, checker, threads) as address:
        kind = "checker in front of the judge" if judge else "embedded checker"
        sys.stdout.write(f"The {kind} listens on {address}\n")
        sys.stdout.flush()
        await stopped.wait()
    if judge:
        counts = (f"{count:,} {name.replace('_', ' ')}" for name, count in judge.usage.items())
        sys.stdout.write(f"The judge: {', '.join(counts) or 'no calls'}\n")


@asynccontextmanager
async def listening(
    port: int,
    host: str = "127.0.0.1",
    checker: EmbeddedChecker = BY_WORDS,
    most_threads: int = _THREADS,
) -> AsyncIterator[str]:
    """Serve checks inside the running event loop while a `with` block lasts; yield the address.

    One process answers on one core: short requests in the event loop, long ones in a thread. The
    checker is that of `LocalTransport`. Port 0 takes a free port.
    """
    threads = ThreadPoolExecutor(most_threads, "check")
    limits = http_server.ServerLimits(
        deadline_s=_DEADLINE_S,
        max_connections=_max_connections(),
        max_body_bytes=_MAX_BODY_BYTES,
        max_small_bytes=_MAX_SMALL_BYTES,
    )
    try:
        answer = partial(_answer, LocalTransport(checker, threads))
        server = http_server.HttpServer(answer, limits, lambda *refusal: _page(refuse(*refusal)))
        with http_server.open_listener(host, port) as listener:
            async with server.serving(listener):
                yield http_server.address_of(listener)
    finally:
        threads.shutdown(wait=False, cancel_futures=True)


async def _answer(checker: LocalTransport, request: http_server.HttpRequest) -> http_server.Page:
    try:
        return _page(await checker.answer(request.method, request.path, request.body))
    except Exception as error:  # noqa: BLE001 - a defect; its text could quote the answer
        _log.error("a check failed: %s", type(error).__name__)
        return _page(refuse(500, "The check failed."))


def _page(reply: HttpReply) -> http_server.Page:
    return http_server.Page(reply.status, "application/json", reply.body, reply.headers)


def _max_connections() -> int:
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY:
        return _MAX_CONNECTIONS
    return min(_MAX_CONNECTIONS, max(1, limit - _RESERVED_FILES))
