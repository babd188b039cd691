"""A first checker, and a second one that decides what the first one is uncertain of."""

from concurrent.futures import Future
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.checked_answer import CheckedAnswer
from groundwatch.schemas.planned_run import Budget
from groundwatch.schemas.verdict import Tag
from groundwatch.transforms.grounding.check_session import CheckOutcome, CheckSession
from groundwatch.transforms.grounding.client import SentCalls
from groundwatch.transforms.grounding.errors import Interrupted, OverBudget, Unavailable
from groundwatch.transforms.grounding.settings import (
    CheckSettings,
    OutagePolicy,
    RetrySettings,
    with_screen,
)
from groundwatch.transforms.grounding.two_checkers import open_session
from groundwatch.transforms.rules.thresholds import EscalationRule
from tests.support.builders import an_answer
from tests.support.entailment_models import write_model
from tests.support.fault_server import FaultServer, always, by_answer
from tests.support.waiting import wait_until
from tests.support.wire_faults import after, status

RULE = EscalationRule(share=0.0)
SURE = an_answer("Lamps glow.", "Lamps glow.", record_id="a" * 64)
UNSURE = an_answer("Kettles whistle.", "Lamps glow.", record_id="b" * 64)
ONE_TRY = RetrySettings(max_attempts=1)


def settings_of(
    server: FaultServer, rule: EscalationRule = RULE, **fields: object
) -> CheckSettings:
    second = CheckSettings(checker=server.address, endpoint=server.address, **fields)
    return with_screen(CheckSettings(), second, rule)


def submitted(session: CheckSession, answer: Answer) -> "Future[CheckOutcome]":
    future: Future[CheckOutcome] = Future()
    session.submit(answer, future.set_result)
    return future


def outcomes(settings: CheckSettings, *answers: Answer) -> list[CheckOutcome]:
    with closing(open_session(settings)) as session:
        futures = [submitted(session, each) for each in answers]
        return [each.result(30) for each in futures]


def checked(settings: CheckSettings, *answers: Answer) -> list[CheckedAnswer]:
    found = outcomes(settings, *answers)
    assert {type(each) for each in found} == {CheckedAnswer}
    return [each for each in found if isinstance(each, CheckedAnswer)]


def checkers_of(answer: CheckedAnswer) -> tuple[str | None, str | None]:
    """Who screened an answer, and whose check decides."""
    assert answer.check
    return answer.screen and answer.screen.checker, answer.check.checker


def test_only_what_is_uncertain_is_sent_to_the_second_checker() -> None:
    with FaultServer() as server:
        sure, unsure = checked(settings_of(server), SURE, UNSURE)
        assert server.requests == 1
    assert (sure.escalation, unsure.escalation) == (None, Tag.ESCALATED)
    assert checkers_of(sure) == ("local", "local")
    assert checkers_of(unsure) == ("local", server.address)


def test_a_share_of_the_rest_is_audited() -> None:
    with FaultServer() as server:
        sure, unsure = checked(settings_of(server, EscalationRule(share=1.0)), SURE, UNSURE)
        assert server.requests == 2
    assert (sure.escalation, unsure.escalation) == (Tag.AUDITED, Tag.ESCALATED)


def test_an_answer_that_the_second_refuses_for_good_keeps_the_screens_verdict() -> None:
    faults = {UNSURE.answer_text: status(400, "INVALID_ARGUMENT")}
    other = replace(UNSURE, record_id="c" * 64, answer_text="Doors close.")
    with FaultServer(by_answer(faults)) as server:
        refused, escalated = checked(settings_of(server), UNSURE, other)
    assert (refused.escalation, escalated.escalation) == (Tag.NOT_ESCALATED, Tag.ESCALATED)
    assert checkers_of(refused) == ("local", "local")
    assert refused.grounding
    assert refused.grounding.claims


def test_what_the_second_cannot_check_now_fails_and_the_others_do_not() -> None:
    with FaultServer(always(status(503, "UNAVAILABLE"))) as server:
        sure, unsure = outcomes(settings_of(server, retries=ONE_TRY), SURE, UNSURE)
    assert isinstance(sure, CheckedAnswer)
    assert isinstance(unsure, Unavailable)


@pytest.mark.parametrize("defers", [False, True])
def test_calls_and_budget_are_the_second_ones(tmp_path: Path, defers: bool) -> None:
    with FaultServer() as server:
        settings = settings_of(
            server, budget=Budget(max_calls=1), reply_store=str(tmp_path / "run.sqlite")
        )
        assert settings.screen
        screen = replace(settings.screen, defers_over_budget=defers)
        other = replace(UNSURE, record_id="c" * 64, answer_text="Doors close.")
        with closing(open_session(replace(settings, screen=screen))) as session:
            found = [submitted(session, each).result(30) for each in (SURE, UNSURE, other)]
            sent = session.take_sent()
        assert server.requests == 1
    assert sent == SentCalls(1, 0, len("Kettles whistle.") + len("Lamps glow."))
    assert all(isinstance(each, CheckedAnswer) for each in found[:2])
    if defers:
        assert isinstance(found[2], OverBudget)
    else:
        assert isinstance(found[2], CheckedAnswer)
        assert (found[2].escalation, found[2].over_budget) == (Tag.NOT_ESCALATED, True)
        assert checkers_of(found[2]) == ("local", "local")


def test_nothing_begins_after_a_stop() -> None:
    with FaultServer() as server, closing(open_session(settings_of(server))) as session:
        session.stop_when(lambda: True)
        assert isinstance(submitted(session, SURE).result(30), Interrupted)
        assert isinstance(submitted(session, UNSURE).result(30), Interrupted)
        assert server.requests == 0


@pytest.fixture(params=["words", "model"])
def first(request: pytest.FixtureRequest, tmp_path: Path) -> CheckSettings:
    """A first checker on the caller's thread, and one on a thread of its own."""
    scorer = write_model(tmp_path) if request.param == "model" else None
    return CheckSettings(scorer=scorer, outage=OutagePolicy.HOLD)


def test_a_detached_check_goes_on_and_is_not_sent_again(first: CheckSettings) -> None:
    with FaultServer(always(after(0.3))) as server:
        second = CheckSettings(
            checker=server.address, endpoint=server.address, outage=OutagePolicy.HOLD
        )
        settings = with_screen(first, second, EscalationRule(share=1.0))
        with closing(open_session(settings)) as session:
            calls: list[CheckOutcome] = []
            session.submit(UNSURE, calls.append)
            wait_until(lambda: server.requests == 1)
            session.detach([UNSURE.record_id])
            assert not session.has_ended(UNSURE.record_id)
            wait_until(lambda: session.has_ended(UNSURE.record_id))
            assert calls == []
            found = submitted(session, UNSURE).result(30)
        assert isinstance(found, CheckedAnswer)
        assert found.escalation is Tag.ESCALATED
        assert server.requests == 1


def test_a_first_checker_of_ones_own_may_be_a_server() -> None:
    with FaultServer() as one, FaultServer() as other:
        first = CheckSettings(checker=one.address, endpoint=one.address)
        second = CheckSettings(checker=other.address, endpoint=other.address)
        sure, unsure = checked(with_screen(first, second, RULE), SURE, UNSURE)
        assert (one.requests, other.requests) == (2, 1)
    assert checkers_of(sure) == (one.address, one.address)
    assert checkers_of(unsure) == (one.address, other.address)


def test_a_pair_is_named_in_its_order() -> None:
    second = CheckSettings(checker="http://judge", endpoint="http://judge")
    assert CheckSettings(scorer="models/small").names == "local+small"
    assert with_screen(CheckSettings(), second, RULE).names == "local, then http://judge"


def test_a_fault_of_the_rule_is_an_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("groundwatch.transforms.grounding.two_checkers.screen_answer", fail)
    with FaultServer() as server:
        [found] = outcomes(settings_of(server), SURE)
    assert isinstance(found, ZeroDivisionError)
