"""Checks of one answer, and of many on a thread of their own."""

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from groundwatch.schemas.checked_answer import Check, CheckedAnswer
from groundwatch.schemas.verdict import Verdict
from groundwatch.schemas.wire.grounding_check import CheckRequest, CheckResponse
from groundwatch.transforms.grounding import check_session
from groundwatch.transforms.grounding.check_session import (
    BackgroundSession,
    CheckOutcome,
    check_answer,
)
from groundwatch.transforms.grounding.client import GroundingClient
from groundwatch.transforms.grounding.errors import CheckFailed, Rejected, Unavailable
from groundwatch.transforms.grounding.protocol import CheckReply
from groundwatch.transforms.grounding.reply_cache import ReplyStore
from groundwatch.transforms.grounding.settings import CheckSettings, RetrySettings
from groundwatch.transforms.lexical.check_claims import check_grounding
from groundwatch.transforms.rules.limits import CheckLimits
from groundwatch.transforms.runtime import clock
from tests.support.builders import NOON_US, an_answer
from tests.support.fault_server import FaultServer, always
from tests.support.waiting import wait_until
from tests.support.wire_faults import Exchange, after, good, hang

ONE_FACT_A_CALL = CheckLimits(max_facts=1)


class Checker(GroundingClient):
    """Answers in the process, and keeps what it was asked."""

    def __init__(self, reply: Callable[[CheckRequest, int], CheckReply] | None = None) -> None:
        self.requests: list[CheckRequest] = []
        self._reply = reply or embedded_reply

    async def check(self, request: CheckRequest, earlier: object = None) -> CheckReply:  # noqa: ARG002
        self.requests.append(request)
        return self._reply(request, len(self.requests))


def embedded_reply(request: CheckRequest, _: int) -> CheckReply:
    return CheckReply(response=check_grounding(request), attempts=1)


def checked(
    checker: Checker, *facts: str, text: str = "Lamps glow.", **members: object
) -> CheckedAnswer:
    settings = CheckSettings(**members)
    return asyncio.run(check_answer(an_answer(text, *facts), checker, settings))


def test_a_check_records_its_checker_time_and_duration(monkeypatch: pytest.MonkeyPatch) -> None:
    moments_s = iter((100.0, 101.0))
    monotonic = SimpleNamespace(monotonic=lambda: next(moments_s))
    monkeypatch.setattr(check_session, "time", monotonic)
    monkeypatch.setattr(clock, "now_us", lambda: NOON_US)

    def reply(request: CheckRequest, _: int) -> CheckReply:
        return CheckReply(
            response=check_grounding(request), attempts=2, unknown_members='{"new": 1}'
        )

    result = checked(Checker(reply), "Lamps glow.", citation_threshold=0.5)
    assert result.answer == an_answer("Lamps glow.", "Lamps glow.")
    assert result.check == Check(
        checker="local",
        calls=2,
        attempts=2,
        characters=44,
        latency_ms=1_000,
        checked_at_us=NOON_US,
        citation_threshold=0.5,
        unknown_members=('{"new": 1}',),
    )


def test_requests_and_their_characters_are_summed_repeated_ones_included() -> None:
    def thrice(request: CheckRequest, _: int) -> CheckReply:
        return CheckReply(response=check_grounding(request), attempts=3)

    result = checked(Checker(thrice), "Lamps glow.", "Lamps glow.é", limits=ONE_FACT_A_CALL)
    assert result.check is not None
    assert (result.check.calls, result.check.attempts) == (6, 6)
    assert result.check.characters == 3 * (11 + 11 + 11 + 12)


def test_a_cached_reply_counts_no_call() -> None:
    def first_cached(request: CheckRequest, number: int) -> CheckReply:
        return CheckReply(response=check_grounding(request), attempts=int(number > 1))

    def all_cached(request: CheckRequest, _: int) -> CheckReply:
        return CheckReply(response=check_grounding(request), attempts=0)

    facts = ("Lamps glow.", "Lamps glow!")
    some = checked(Checker(first_cached), *facts, limits=ONE_FACT_A_CALL).check
    none = checked(Checker(all_cached), *facts, limits=ONE_FACT_A_CALL).check
    assert some is not None
    assert none is not None
    assert (some.calls, some.characters, some.cached) == (1, 22, False)
    assert (none.calls, none.characters, none.cached) == (0, 0, True)


def test_the_best_score_of_the_calls_stands_without_another_call() -> None:
    checker = Checker()
    result = checked(checker, "Lamps glow.", "Doors close.", limits=ONE_FACT_A_CALL)
    assert [len(request.facts) for request in checker.requests] == [1, 1]
    assert result.check is not None
    assert result.check.calls == 2
    assert result.grounding is not None
    assert result.grounding.recombined
    assert (result.grounding.claims[0].score or 0) > 0.6


@pytest.mark.parametrize(("most", "sent"), [(1, 0), (2, 2)], ids=["one too few", "enough"])
def test_an_answer_is_sent_if_its_calls_are_within_the_limit(most: int, sent: int) -> None:
    checker = Checker()
    result = checked(
        checker, "Chairs stand.", "Doors close.", limits=ONE_FACT_A_CALL, max_calls_per_answer=most
    )
    assert len(checker.requests) == sent
    assert (result.decision is None) is (sent > 0)


def test_an_answer_over_the_limit_is_decided_at_once_however_large() -> None:
    checker = Checker()
    result = checked(checker, text="word " * 1_000_000)
    assert result.decision is not None
    assert (result.decision.verdict, result.decision.reason) == (Verdict.UNSCORABLE, "OVER_LIMIT")
    assert (result.check, result.grounding, checker.requests) == (None, None, [])
    assert result.answer.answer_text == "word " * 1_000_000


@pytest.mark.parametrize("facts", [("a",), ("a", "b")], ids=["one call", "several calls"])
def test_a_failed_call_fails_the_answer_with_its_own_error(facts: tuple[str, ...]) -> None:
    failure = Rejected("refused")

    def refuse(_: CheckRequest, number: int) -> CheckReply:
        if number == len(facts):
            raise failure
        return CheckReply(response=CheckResponse(), attempts=1)

    with pytest.raises(CheckFailed) as failed:
        checked(Checker(refuse), *facts, limits=ONE_FACT_A_CALL)
    assert failed.value is failure


def test_the_first_of_several_failures_is_raised() -> None:
    def fail(_: CheckRequest, number: int) -> CheckReply:
        raise Unavailable(f"call {number}")

    with pytest.raises(Unavailable, match="call 1"):
        checked(Checker(fail), "a", "b", limits=ONE_FACT_A_CALL)


_WAIT_S = 10.0


def outcomes_of(session: BackgroundSession, count: int) -> list[CheckOutcome]:
    """Submit answers from this thread and wait for them all."""
    futures: list[Future[CheckOutcome]] = [Future() for _ in range(count)]
    for future in futures:
        session.submit(an_answer(), future.set_result)
    return [future.result(_WAIT_S) for future in futures]


def test_answers_of_many_threads_all_have_an_outcome() -> None:
    session = BackgroundSession(CheckSettings())
    finished: list[int] = []

    def submit() -> None:
        finished.extend(len(outcomes_of(session, 1)) for _ in range(200))

    threads = [threading.Thread(target=submit, daemon=True) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    session.close()
    assert len(finished) == 8 * 200


def test_waiting_for_a_slot_does_not_use_up_the_timeout() -> None:
    with FaultServer(always(after(0.1))) as server:
        settings = CheckSettings(
            checker=server.address,
            endpoint=server.address,
            max_in_flight=2,
            retries=RetrySettings(timeout_s=1.0, max_attempts=1),
            cache_bytes=0,
        )
        session = BackgroundSession(settings)
        outcomes = outcomes_of(session, 30)
        session.close()
    assert [type(outcome) for outcome in outcomes] == [CheckedAnswer] * 30
    assert server.most_at_once == 2


def test_closing_cancels_checks_in_flight_without_a_log_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with FaultServer(always(hang)) as server:
        session = BackgroundSession(CheckSettings(checker=server.address, endpoint=server.address))
        with caplog.at_level(logging.WARNING):
            for _ in range(5):
                session.submit(an_answer(), lambda _: None)
            session.close()
    assert caplog.records == []


def test_a_full_disk_fails_the_answers_whose_replies_cannot_be_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: ReplyStore) -> None:
        raise OSError("no space left on device")

    with FaultServer() as server:
        settings = CheckSettings(
            checker=server.address,
            endpoint=server.address,
            reply_store=str(tmp_path / "replies.sqlite"),
        )
        session = BackgroundSession(settings)
        with monkeypatch.context() as full_disk:
            full_disk.setattr(ReplyStore, "flush", fail)
            outcomes = outcomes_of(session, 2)
        session.close()
    assert [str(outcome) for outcome in outcomes] == ["no space left on device"] * 2


@contextmanager
def held_session() -> Iterator[tuple[FaultServer, BackgroundSession, threading.Event]]:
    """A server that replies from an event on, a session with it, and the event."""
    release = threading.Event()

    async def held(exchange: Exchange) -> bool:
        await asyncio.to_thread(release.wait, _WAIT_S)
        return await good(exchange)

    with FaultServer(always(held)) as server:
        settings = CheckSettings(checker=server.address, endpoint=server.address, cache_bytes=0)
        session = BackgroundSession(settings)
        yield server, session, release
        session.close()


def test_a_detached_check_continues_and_is_sent_once() -> None:
    with held_session() as (server, session, release):
        called: list[CheckOutcome] = []
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
    assert server.requests == 2


def test_a_detached_check_in_flight_is_attached_again() -> None:
    with held_session() as (server, session, release):
        session.submit(an_answer(), lambda _: None)
        session.detach([an_answer().record_id])
        taken: Future[CheckOutcome] = Future()
        session.submit(an_answer(), taken.set_result)
        release.set()
        assert isinstance(taken.result(_WAIT_S), CheckedAnswer)
    assert server.requests == 1
