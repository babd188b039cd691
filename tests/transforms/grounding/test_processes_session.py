"""Checks by words in processes of their own."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from multiprocessing import active_children
from queue import SimpleQueue

import pytest

from groundwatch.schemas.checked_answer import CheckedAnswer
from groundwatch.schemas.verdict import Tag
from groundwatch.transforms.grounding import processes_session
from groundwatch.transforms.grounding.check_session import CheckOutcome, CheckSession
from groundwatch.transforms.grounding.processes_session import ProcessesSession
from groundwatch.transforms.grounding.settings import CheckSettings, settings_for, with_screen
from groundwatch.transforms.grounding.two_checkers import open_session
from groundwatch.transforms.rules.limits import CheckLimits
from groundwatch.transforms.rules.thresholds import EscalationRule
from tests.support.builders import an_answer
from tests.support.own_checkers import Verbatim
from tests.support.waiting import wait_until

SETTINGS = CheckSettings(processes=2, limits=CheckLimits(max_facts=2))
ANSWERS = [
    an_answer(f"The lamp has {number} watts.", *("The lamp has 7 watts.",) * (number % 4 + 1))
    for number in range(60)
]


@pytest.fixture(scope="module")
def session() -> Iterator[ProcessesSession]:
    with closing(ProcessesSession(SETTINGS)) as opened:
        yield opened


def found_by(session: CheckSession) -> list[CheckOutcome]:
    """Check the answers; return their outcomes in the order of the answers."""
    ended: SimpleQueue[tuple[int, CheckOutcome]] = SimpleQueue()

    def done_of(number: int) -> Callable[[CheckOutcome], None]:
        return lambda outcome: ended.put((number, outcome))

    for number, answer in enumerate(ANSWERS):
        session.submit(answer, done_of(number))
    found = dict(ended.get(timeout=60) for _ in ANSWERS)
    return [found[number] for number in sorted(found)]


def scores(outcomes: list[CheckOutcome]) -> list[object]:
    """What of the outcomes depends on no clock."""
    assert all(isinstance(each, CheckedAnswer) for each in outcomes), outcomes
    return [each.grounding for each in outcomes if isinstance(each, CheckedAnswer)]


def process_ids() -> list[int | None]:
    """The processes that this one has begun."""
    return [each.pid for each in active_children()]


def test_processes_find_what_this_one_finds(session: ProcessesSession) -> None:
    here = CheckSession(SETTINGS)
    assert scores(found_by(session)) == scores(found_by(here))
    assert session.take_sent() == here.take_sent()


def test_what_a_killed_process_had_is_checked_here_and_another_one_begins() -> None:
    expected = scores(found_by(CheckSession(SETTINGS)))
    others = {*process_ids()}
    with closing(ProcessesSession(SETTINGS)) as opened:
        before = {*process_ids()} - others
        for each in active_children():
            if each.pid in before:
                each.kill()

        def have_begun() -> bool:
            assert scores(found_by(opened)) == expected
            return len({*process_ids()} - others) == len(before) == SETTINGS.processes

        wait_until(have_begun)
        assert not before & {*process_ids()}


def test_signals_are_for_the_process_that_began_the_others(session: ProcessesSession) -> None:
    before = process_ids()
    for each in active_children():
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            os.kill(each.pid or 0, number)
    assert before
    assert scores(found_by(session)) == scores(found_by(CheckSession(SETTINGS)))
    assert process_ids() == before


def test_detached_checks_have_ended(session: ProcessesSession) -> None:
    ended: list[CheckOutcome] = []
    for answer in ANSWERS:
        session.submit(answer, ended.append)
    session.detach([answer.record_id for answer in ANSWERS])
    assert len(ended) == len(ANSWERS)


def test_an_error_is_of_the_answer_that_raises_it(
    session: ProcessesSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = ValueError("a bug")

    def check(_: object) -> object:
        raise broken

    monkeypatch.setattr(processes_session, "check_grounding", check)
    monkeypatch.setattr(processes_session, "_encode", lambda _: b"\xc1")  # never MessagePack
    assert found_by(session) == [broken] * len(ANSWERS)


def test_a_second_checker_follows() -> None:
    settings = with_screen(CheckSettings(), settings_for(Verbatim()), EscalationRule(share=0.0))
    with closing(open_session(settings.in_processes(2))) as opened:
        outcomes = found_by(opened)
    tags = {each.escalation for each in outcomes if isinstance(each, CheckedAnswer)}
    assert Tag.ESCALATED in tags


@pytest.mark.parametrize(
    "end", [pytest.param("", id="at its end"), pytest.param("os.kill(os.getpid(), 9)", id="killed")]
)
def test_processes_end_with_the_one_that_began_them(end: str) -> None:
    program = (
        "import multiprocessing, os\n"
        "from groundwatch.transforms.grounding.processes_session import ProcessesSession\n"
        "from groundwatch.transforms.grounding.settings import CheckSettings\n"
        "if __name__ == '__main__':\n"
        "    session = ProcessesSession(CheckSettings(processes=2))\n"
        "    ids = [each.pid for each in multiprocessing.active_children()]\n"
        "    print(*ids, flush=True)\n"
        "    "
    )
    run = subprocess.run(  # noqa: S603 - our own source
        [sys.executable, "-c", program + end], stdout=subprocess.PIPE, timeout=60, check=False
    )
    ids = run.stdout.split()
    assert len(ids) == 2

    def is_running(number: str) -> bool:
        try:
            os.kill(int(number), 0)
        except ProcessLookupError:
            return False
        return True

    wait_until(lambda: not any(is_running(each) for each in ids))
