"""Errors of a call, and which of them are retried."""

import pickle

import pytest

from groundwatch.transforms.grounding import errors
from groundwatch.transforms.grounding.errors import (
    AnswerRefused,
    BadReply,
    CheckFailed,
    GaveUp,
    Misconfigured,
    Rejected,
    Unauthenticated,
    Unavailable,
)
from groundwatch.transforms.grounding.retry_policy import HOLD, LIMITED, retry_wait_s

KINDS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, CheckFailed)
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_failed_check_can_be_handed_to_another_process(kind: type[CheckFailed]) -> None:
    error = kind("no reply")
    error.attempts = 9
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - its own words
    assert type(copy) is kind
    assert (str(copy), copy.attempts, copy.retryable) == ("no reply", 9, kind.retryable)


def test_the_wait_that_a_service_asked_for_goes_along() -> None:
    copy = pickle.loads(pickle.dumps(Unavailable("busy", 7.0)))  # noqa: S301 - its own words
    assert copy.retry_after_s == 7.0


@pytest.mark.parametrize("kind", KINDS)
def test_only_an_outage_or_a_refusal_may_be_over_later(kind: type[CheckFailed]) -> None:
    assert kind.retryable is issubclass(kind, Unavailable | AnswerRefused)


DECISIONS = {
    "unavailable": (Unavailable("x"), 1, 0.25),
    "a bad reply": (BadReply("x"), 1, 0.25),
    "the second time": (Unavailable("x"), 2, 0.5),
    "the fifth time": (Unavailable("x"), 5, 4.0),
    "the hundredth time": (Unavailable("x"), 100, 10.0),
    "asked to wait": (Unavailable("x", 7), 1, 7.25),
    "asked not to wait": (Unavailable("x", 0), 1, 0.25),
    "asked to wait to the end": (Unavailable("x", 11.75), 1, 12.0),
    "asked to wait too long": (Unavailable("x", 12), 1, False),
    "asked to wait for ever": (Unavailable("x", float("inf")), 1, False),
    "refused": (Rejected("x"), 1, False),
    "not set up": (Misconfigured("x"), 1, False),
    "not authenticated": (Unauthenticated("x"), 1, False),
    "gave up": (GaveUp("x"), 1, False),
    "no fault of the call": (ValueError("x"), 1, False),
}


@pytest.mark.parametrize(("error", "attempts", "decision"), DECISIONS.values(), ids=DECISIONS)
def test_only_transient_errors_are_retried_and_not_before_retry_after(
    error: Exception, attempts: int, decision: bool | float
) -> None:
    decided = retry_wait_s(LIMITED, error, attempts, jitter=0.5, left_s=12)
    assert decided == decision
    assert type(decided) is type(decision)


def test_a_wait_of_nothing_is_still_another_attempt() -> None:
    assert retry_wait_s(LIMITED, Unavailable("x"), 1, jitter=0.0, left_s=12) is not False


def test_no_wait_ends_after_the_time_that_is_left() -> None:
    assert retry_wait_s(LIMITED, Unavailable("x"), 9, jitter=1.0, left_s=19) is False


@pytest.mark.parametrize(
    ("attempts", "jitter", "wait_s"), [(1, 0.0, 0.5), (1, 1.0, 1.0), (3, 0.5, 3.0), (99, 1.0, 30.0)]
)
def test_a_call_that_is_held_waits_at_least_half_of_a_bound_that_doubles(
    attempts: int, jitter: float, wait_s: float
) -> None:
    assert retry_wait_s(HOLD, Unavailable("x"), attempts, jitter, left_s=99) == wait_s
