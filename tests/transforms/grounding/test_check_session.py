"""Checks on a thread of their own, from the first to the last."""

import asyncio
import logging
import threading
from concurrent.futures import Future

import pytest

from schemas.checked_answer import CheckedAnswer
from tests.support.builders import an_answer
from tests.support.fault_server import FaultServer, always
from tests.support.waiting import wait_until
from tests.support.wire_faults import Exchange, after, good, hang
from transforms.grounding.check_session import CheckSession, Outcome
from transforms.grounding.settings import CheckSettings, RetrySettings

_WAIT_S = 10.0


def outcomes_of(session: CheckSession, count: int) -> list[Outcome]:
    """Submit answers from this thread and wait for them all."""
    futures: list[Future[Outcome]] = [Future() for _ in range(count)]
    for future in futures:
        session.submit(an_answer(), future.set_result)
    return [future.result(_WAIT_S) for future in futures]


def test_answers_of_many_threads_all_come_back() -> None:
    session = CheckSession(CheckSettings())
    finished: list[int] = []

    def submit() -> None:
        finished.extend(len(outcomes_of(session, 1)) for _ in range(200))

    threads = [threading.Thread(target=submit) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    session.close()
    assert len(finished) == 8 * 200


def test_waiting_for_a_place_is_not_held_against_the_checker() -> None:
    with FaultServer(always(after(0.1))) as server:
        settings = CheckSettings(
            checker=server.address,
            endpoint=server.address,
            max_in_flight=2,
            retries=RetrySettings(timeout_s=1.0, max_attempts=1),
            cache_bytes=0,
        )
        session = CheckSession(settings)
        outcomes = outcomes_of(session, 30)
        session.close()
    assert [type(outcome) for outcome in outcomes] == [CheckedAnswer] * 30
    assert server.most_at_once == 2


def test_closing_ends_what_is_under_way_without_a_word(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with FaultServer(always(hang)) as server:
        session = CheckSession(CheckSettings(checker=server.address, endpoint=server.address))
        with caplog.at_level(logging.WARNING):
            for _ in range(5):
                session.submit(an_answer(), lambda _: None)
            session.close()
    assert caplog.records == []


def test_a_detached_check_goes_on_and_is_sent_once() -> None:
    release = threading.Event()

    async def held(exchange: Exchange) -> bool:
        await asyncio.to_thread(release.wait, _WAIT_S)
        return await good(exchange)

    with FaultServer(always(held)) as server:
        settings = CheckSettings(checker=server.address, endpoint=server.address, cache_bytes=0)
        session = CheckSession(settings)
        called: list[Outcome] = []
        session.submit(an_answer(), called.append)
        session.detach([an_answer().record_id])
        assert not session.has_ended(an_answer().record_id)
        release.set()
        wait_until(lambda: session.has_ended(an_answer().record_id))
        assert called == []
        (outcome,) = outcomes_of(session, 1)
        assert isinstance(outcome, CheckedAnswer)
        # Whoever submits it after that has it checked again.
        (outcome,) = outcomes_of(session, 1)
        session.close()
    assert server.requests == 2


def test_a_detached_check_that_goes_on_is_taken_over() -> None:
    release = threading.Event()

    async def held(exchange: Exchange) -> bool:
        await asyncio.to_thread(release.wait, _WAIT_S)
        return await good(exchange)

    with FaultServer(always(held)) as server:
        settings = CheckSettings(checker=server.address, endpoint=server.address, cache_bytes=0)
        session = CheckSession(settings)
        session.submit(an_answer(), lambda _: None)
        session.detach([an_answer().record_id])
        taken: Future[Outcome] = Future()
        session.submit(an_answer(), taken.set_result)
        release.set()
        assert isinstance(taken.result(_WAIT_S), CheckedAnswer)
        session.close()
    assert server.requests == 1
