"""Who is benchmarked does the whole job: a right record for each answer.

LangChain's packages are not among the tests': `make bench SMOKE=1` holds its contenders to that.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

import pytest
from msgspec.structs import replace

from tests.benchmarks.generated_answers import answer_and_facts, repeating_messages
from tests.benchmarks.peers.contenders import CONTENDERS, GROUNDWATCH, Contender
from tests.benchmarks.peers.course import Course
from tests.benchmarks.peers.job import answer_of
from tests.benchmarks.slow_checker import SlowChecker, slow_checker
from tests.benchmarks.usage import usage_of

HERE = [one for one in CONTENDERS if not one.key.startswith("langchain")]
PAY_ONCE = {GROUNDWATCH, "own_client"}
WRITE_ONCE = {GROUNDWATCH}
HOLD = """
import sys, time
held = b"x" * 200_000_000
while time.process_time() < 0.2:
    pass
"""
NEST = "import subprocess, sys; sys.exit(3 + subprocess.call([sys.executable, '-c', sys.argv[1]]))"


@pytest.fixture(scope="module")
def checker() -> Iterator[SlowChecker]:
    with slow_checker(0.0, 0.0) as running:
        yield running


@pytest.mark.parametrize("contender", HERE, ids=lambda one: one.key)
def test_a_contender_leaves_a_right_record_for_each_answer(
    contender: Contender, checker: SlowChecker, tmp_path: Path
) -> None:
    of_few_threads = replace(contender, in_flight=4)
    account = Course(checker, tmp_path).run(of_few_threads, 20, repeating=True).account
    assert (account.status, account.messages, account.answers, account.lost) == (0, 20, 18, 0)
    assert account.calls == (16 if contender.key in PAY_ONCE else 20)
    assert account.doubled == (0 if contender.key in WRITE_ONCE else 2)


def test_a_checker_that_does_not_start_is_an_error() -> None:
    with pytest.raises(EOFError), slow_checker(0.0, 0.0, capacity=-1):
        pass


def test_of_ten_messages_one_comes_again_and_one_repeats_an_answer() -> None:
    answers = [answer_of(message) for message in repeating_messages(200)]
    assert len({answer.id for answer in answers}) == 180
    assert len({answer.answer for answer in answers}) == 160


def test_generated_answers_have_the_size_of_real_ones() -> None:
    answers, facts = zip(*map(answer_and_facts, range(400)), strict=True)
    assert len(set(answers)) == 400
    assert 600 < mean(len(answer.encode()) for answer in answers) < 750
    assert {len(each) for each in facts} == {3}
    assert 400 < mean(len(fact.encode()) for each in facts for fact in each) < 510
    shared = [_share_of_words(answer, each) for answer, each in zip(answers, facts, strict=True)]
    assert 0.6 < mean(shared) < 0.8


def _share_of_words(answer: str, facts: list[str]) -> float:
    """Return the share of an answer's distinct words that the facts contain."""
    words = set(answer.lower().split())
    return len(words & set(" ".join(facts).lower().split())) / len(words)


def test_a_commands_processes_are_measured_with_it() -> None:
    usage = usage_of([sys.executable, "-c", NEST, HOLD], within_s=60)
    assert usage.status == 3
    assert usage.cpu_s >= 0.2
    assert 190 < usage.peak_mb < 400


def test_a_command_that_takes_too_long_is_ended() -> None:
    endless = [sys.executable, "-c", "import signal; signal.pause()"]
    assert usage_of(endless, within_s=0.2).status == 124
