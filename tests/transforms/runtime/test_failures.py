"""The failure that describes a message which a step could not process."""

import time

import pytest

from groundwatch.schemas.message import EarlierFailure
from groundwatch.transforms.runtime import counters
from groundwatch.transforms.runtime.failures import failed_now
from tests.support.builders import NOON_US, a_message, an_answer


def test_a_failure_names_the_fault_and_its_time_and_holds_the_message() -> None:
    before_us = time.time_ns() // 1000
    message, answer = a_message(attributes={"id": "7"}), an_answer(record_id="5f", trace_id="t")
    failure = failed_now(
        message, "CheckGrounding", KeyError("x"), retryable=True, attempts=3, answer=answer
    )
    assert (failure.step, failure.error_class, failure.error) == (
        "CheckGrounding",
        "KeyError",
        "'x'",
    )
    assert (failure.retryable, failure.attempts, failure.record_id) == (True, 3, "5f")
    assert (failure.message, failure.trace_id) == (message, "t")
    assert before_us <= failure.first_failed_at_us == failure.last_failed_at_us
    assert failure.last_failed_at_us <= time.time_ns() // 1000


@pytest.mark.parametrize(
    ("earlier", "expected"),
    [
        (None, (NOON_US + 5, 2)),
        (EarlierFailure(first_failed_at_us=NOON_US, attempts=9), (NOON_US, 11)),
    ],
    ids=["tried for a while", "replayed"],
)
def test_the_first_time_and_all_attempts_are_kept(
    earlier: EarlierFailure | None, expected: tuple[int, int]
) -> None:
    failure = failed_now(
        a_message(earlier=earlier),
        "CheckGrounding",
        TimeoutError(),
        retryable=True,
        attempts=2,
        first_failed_at_us=NOON_US + 5,
    )
    assert (failure.first_failed_at_us, failure.attempts) == expected
    assert failure.last_failed_at_us > NOON_US + 5


def test_failures_are_counted_by_the_class_of_their_error() -> None:
    class Singed(Exception):
        """A class that no other test counts."""

    for _ in range(2):
        failed_now(a_message(), "ParseAnswers", Singed("too hot"), retryable=False)
    assert counters.failed("Singed").value == 2
