"""The client against every fault a network and a service can have, over real sockets."""

import asyncio
import logging
import socket
import time
import traceback
import tracemalloc
from collections.abc import Iterator
from contextlib import aclosing

import pytest
import stamina

from groundwatch.schemas.wire.grounding_check import CheckRequest
from groundwatch.transforms.grounding.client import CheckReply, GroundingClient
from groundwatch.transforms.grounding.errors import (
    BadReply,
    CheckFailed,
    Misconfigured,
    Rejected,
    Unauthenticated,
    Unavailable,
)
from groundwatch.transforms.grounding.settings import CheckSettings, RetrySettings
from groundwatch.transforms.lexical.check_claims import check_grounding
from tests.support import wire_faults
from tests.support.checks import check_request
from tests.support.fault_server import FaultServer, always, at_random, in_turn
from tests.support.wire_faults import Fault

CANARIES = ("CANARYANSWER", "CANARYFACT")
REQUEST = check_request("The CANARYANSWER lamp glows.", "The CANARYANSWER lamp glows CANARYFACT.")
TIMEOUT_S = 0.5


@pytest.fixture
def without_waits() -> Iterator[None]:
    """Retries follow at once; their number is still the settings'."""
    with stamina.set_testing(True, attempts=1_000, cap=True):
        yield


def settings_for(address: str, max_in_flight: int = 16, **retries: float) -> CheckSettings:
    return CheckSettings(
        checker=address,
        endpoint=address,
        cache_bytes=0,
        max_in_flight=max_in_flight,
        retries=RetrySettings(**{"timeout_s": TIMEOUT_S, "max_attempts": 1} | retries),
    )


async def check(server: FaultServer, request: CheckRequest, **retries: float) -> CheckReply:
    async with aclosing(GroundingClient(settings_for(server.address, **retries))) as client:
        return await client.check(request)


def reply_of(server: FaultServer, **retries: float) -> CheckReply:
    return asyncio.run(check(server, REQUEST, **retries))


def error_of(server: FaultServer, **retries: float) -> CheckFailed:
    with pytest.raises(CheckFailed) as failed:
        reply_of(server, **retries)
    return failed.value


def cases(*groups: tuple[dict[str, Fault], type[CheckFailed]]) -> list[object]:
    return [
        pytest.param(fault, kind, id=name)
        for faults, kind in groups
        for name, fault in faults.items()
    ]


@pytest.mark.parametrize(
    ("fault", "kind"),
    cases(
        (wire_faults.HANGING, Unavailable),
        (wire_faults.TRANSPORT, Unavailable),
        (wire_faults.UNAVAILABLE, Unavailable),
        (wire_faults.BAD_REPLIES, BadReply),
        (wire_faults.REFUSALS, Rejected),
        (wire_faults.UNAUTHENTICATED, Unauthenticated),
        (wire_faults.NOT_SET_UP, Misconfigured),
    ),
)
def test_a_fault_is_an_error_of_its_kind_and_in_time(fault: Fault, kind: type[CheckFailed]) -> None:
    with FaultServer(always(fault)) as server:
        began_s = time.monotonic()
        error = error_of(server)
        assert time.monotonic() - began_s < TIMEOUT_S + 1
    assert type(error) is kind
    assert error.attempts == server.requests == 1


@pytest.mark.usefixtures("without_waits")
@pytest.mark.parametrize("fault", wire_faults.PASSING.values(), ids=wire_faults.PASSING)
def test_a_transient_fault_is_retried(fault: Fault) -> None:
    with FaultServer(in_turn(fault)) as server:
        reply = reply_of(server, max_attempts=2)
    assert reply.response == check_grounding(REQUEST)
    assert reply.attempts == server.requests == 2


@pytest.mark.usefixtures("without_waits")
@pytest.mark.parametrize("fault", wire_faults.LASTING.values(), ids=wire_faults.LASTING)
def test_a_lasting_fault_is_not_retried(fault: Fault) -> None:
    with FaultServer(in_turn(fault)) as server:
        error = error_of(server, max_attempts=9)
    assert error.attempts == server.requests == 1
    assert not error.retryable


@pytest.mark.parametrize("location", ["http://169.254.169.254/", "/elsewhere", "//[bad"])
def test_a_redirect_is_never_followed(location: str) -> None:
    with FaultServer(always(wire_faults.redirect(location))) as server:
        error = error_of(server)
    assert type(error) is Misconfigured
    assert "302" in str(error)
    assert (server.requests, server.other_paths) == (1, [])


def test_a_compressed_reply_is_read() -> None:
    with FaultServer(always(wire_faults.compressed)) as server:
        assert reply_of(server).response == check_grounding(REQUEST)


def test_a_refused_connection_is_unavailable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"

    async def ask() -> None:
        async with aclosing(GroundingClient(settings_for(address))) as client:
            await client.check(REQUEST)

    with pytest.raises(Unavailable, match=r"\(connection refused\): start the checker"):
        asyncio.run(ask())


def test_attempts_end_with_their_time() -> None:
    with FaultServer(always(wire_faults.UNAVAILABLE["503"])) as server:
        began_s = time.monotonic()
        error = error_of(server, max_attempts=100, total_s=0.3)
        # Each wait is at most 1.1 s and more than 0.1 s.
        assert time.monotonic() - began_s < 0.3 + 1.1 + 0.5
    assert error.attempts == server.requests <= 5


def test_retry_after_is_honoured() -> None:
    with FaultServer(in_turn(wire_faults.status(429, "BUSY", "Retry-After: 1"))) as server:
        began_s = time.monotonic()
        reply = reply_of(server, max_attempts=2)
        assert 1 <= time.monotonic() - began_s < 3
    assert reply.attempts == server.requests == 2


def test_a_service_that_asks_for_more_time_than_there_is_is_not_asked_again() -> None:
    with FaultServer(always(wire_faults.status(503, "DOWN", "Retry-After: 9999"))) as server:
        began_s = time.monotonic()
        error = error_of(server, max_attempts=9, total_s=5)
        assert time.monotonic() - began_s < 1
    assert isinstance(error, Unavailable)
    assert server.requests == 1


async def check_together(server: FaultServer, count: int, **retries: float) -> list[object]:
    requests = [check_request(f"Lamp {number} glows.", "A lamp glows.") for number in range(count)]
    async with aclosing(GroundingClient(settings_for(server.address, count, **retries))) as client:
        calls = map(client.check, requests)
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
    expected = [check_grounding(request) for request in requests]
    return [
        outcome.response == right if isinstance(outcome, CheckReply) else outcome
        for outcome, right in zip(outcomes, expected, strict=True)
    ]


@pytest.mark.usefixtures("without_waits")
def test_many_calls_under_mixed_faults_all_get_their_own_reply() -> None:
    with FaultServer(at_random(7, 0.4, wire_faults.PASSING)) as server:
        began_s = time.monotonic()
        outcomes = asyncio.run(check_together(server, 64, max_attempts=30))
        assert time.monotonic() - began_s < 10
    assert outcomes == [True] * 64
    assert 64 < server.requests < 64 * 4


@pytest.mark.usefixtures("without_waits")
def test_an_outage_ends_every_call_and_leaves_the_connections_usable() -> None:
    hangs = [wire_faults.hang] * 64

    async def ask(server: FaultServer) -> list[object]:
        # The replies behind it all come at once, perhaps on a busy machine.
        settings = settings_for(server.address, len(hangs), timeout_s=4 * TIMEOUT_S)
        async with aclosing(GroundingClient(settings)) as client:
            calls = [client.check(REQUEST) for _ in hangs]
            outcomes = await asyncio.gather(*calls, return_exceptions=True)
            replies = await asyncio.gather(*[client.check(REQUEST) for _ in hangs])
        return [*map(type, outcomes), *map(type, replies)]

    with FaultServer(in_turn(*hangs)) as server:
        assert asyncio.run(ask(server)) == [Unavailable] * 64 + [CheckReply] * 64


@pytest.mark.parametrize("name", ["gzip bomb", "huge body"])
def test_a_huge_reply_is_not_held_in_memory(name: str) -> None:
    with FaultServer(always(wire_faults.BAD_REPLIES[name])) as server:
        error_of(server, timeout_s=10)
        tracemalloc.start()
        try:
            error_of(server, timeout_s=10)
            _, peak_bytes = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak_bytes < 50 * 2**20


def said_by(error: BaseException) -> Iterator[str]:
    """All that an error and whatever led to it could print."""
    yield from (str(error), repr(error), *traceback.format_exception(error))
    for earlier in (error.__cause__, error.__context__):
        if earlier is not None:
            yield from said_by(earlier)


@pytest.mark.usefixtures("without_waits")
@pytest.mark.parametrize("fault", wire_faults.ALL.values(), ids=wire_faults.ALL)
def test_errors_and_logs_contain_no_text_of_the_answer_or_its_facts(
    fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)  # At DEBUG libraries write down the wire itself.
    with FaultServer(always(fault)) as server:
        error = error_of(server, max_attempts=2)
    logged = [f"{record.getMessage()} {vars(record)}" for record in caplog.records]
    assert str(error)
    found = [text for text in (*said_by(error), *logged) if any(map(text.__contains__, CANARIES))]
    assert found == []
