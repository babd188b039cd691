"""Errors of Pub/Sub: which ones are retried, how long to wait, and what is logged."""

import logging

import pytest
from google.api_core import exceptions

from groundwatch.launch.engine.pubsub.pubsub_errors import (
    Reachability,
    is_about_the_caller,
    is_transient,
    refusal,
)
from tests.support.clocks import ManualClock


@pytest.mark.parametrize(
    ("error", "passing", "about_the_caller"),
    [
        (exceptions.ServiceUnavailable("x"), True, False),
        (exceptions.DeadlineExceeded("x"), True, False),
        (exceptions.InternalServerError("x"), True, False),
        (exceptions.Unknown("x"), True, False),
        (exceptions.Aborted("x"), True, False),
        (exceptions.Cancelled("x"), True, False),
        (exceptions.ResourceExhausted("x"), True, False),
        (exceptions.NotFound("x"), False, True),
        (exceptions.PermissionDenied("x"), False, True),
        (exceptions.Unauthenticated("x"), False, True),
        (exceptions.InvalidArgument("x"), False, False),
        (exceptions.FailedPrecondition("x"), False, False),
        (exceptions.MethodNotImplemented("x"), False, False),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_errors_are_classified_by_what_resolves_them(
    error: exceptions.GoogleAPICallError, passing: bool, about_the_caller: bool
) -> None:
    assert is_transient(error) is passing
    assert is_about_the_caller(error) is about_the_caller


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            exceptions.NotFound("x"),
            "cannot pull from S: it does not exist; create it, or correct its name",
        ),
        (
            exceptions.InvalidArgument("the deadline is out of bounds"),
            "cannot pull from S: InvalidArgument: the deadline is out of bounds",
        ),
    ],
    ids=["known", "in Pub/Sub's words"],
)
def test_a_refusal_says_what_to_do(error: exceptions.GoogleAPICallError, said: str) -> None:
    assert refusal("pull from S", error) == said


def test_a_missing_permission_names_the_role() -> None:
    assert "roles/pubsub.subscriber" in refusal("pull", exceptions.PermissionDenied("x"))


def test_a_long_reason_is_cut() -> None:
    assert len(refusal("pull", exceptions.InvalidArgument("x" * 10_000))) < 300


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def reachability(clock: ManualClock, caplog: pytest.LogCaptureFixture) -> Reachability:
    caplog.set_level(logging.INFO)
    return Reachability("pull from S", clock, jitter=lambda: 1.0)


def test_a_single_failure_is_not_worth_a_word(
    reachability: Reachability, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(5):
        reachability.failed(TimeoutError())
        assert not reachability.is_away
        reachability.succeeded()
    assert caplog.messages == []


def test_each_change_is_said_once(
    reachability: Reachability, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(60):
        reachability.failed(TimeoutError("secret"))
        clock.advance(1)
    assert reachability.is_away
    for _ in range(3):
        reachability.succeeded()
    assert not reachability.is_away
    assert caplog.messages == [
        "Pub/Sub does not answer (TimeoutError): retrying to pull from S",
        "Pub/Sub answers again after 60 s: pull from S",
    ]


def test_waits_double_up_to_a_bound(reachability: Reachability) -> None:
    waits = [reachability.failed(TimeoutError()) for _ in range(3_000)]
    assert waits[:6] == [0.1, 0.2, 0.4, 0.8, 1.6, 2.0]
    assert set(waits[5:]) == {2.0}


def test_a_success_resets_the_backoff(reachability: Reachability) -> None:
    for _ in range(9):
        reachability.failed(TimeoutError())
    reachability.succeeded()
    assert reachability.failed(TimeoutError()) == 0.1


def test_waits_are_by_chance(clock: ManualClock) -> None:
    assert Reachability("", clock, jitter=lambda: 0.5).failed(TimeoutError()) == 0.05
