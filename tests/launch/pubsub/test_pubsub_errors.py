"""What can go wrong with Pub/Sub, by what is to be done about it."""

import pytest
from google.api_core import exceptions

from launch.pubsub.errors import is_about_the_caller, is_passing, refused


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
def test_errors_are_told_by_what_is_to_be_done(
    error: exceptions.GoogleAPICallError, passing: bool, about_the_caller: bool
) -> None:
    assert is_passing(error) is passing
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
    assert str(refused("pull from S", error)) == said


def test_a_missing_permission_names_the_role() -> None:
    assert "roles/pubsub.subscriber" in str(refused("pull", exceptions.PermissionDenied("x")))


def test_a_long_reason_is_cut() -> None:
    assert len(str(refused("pull", exceptions.InvalidArgument("x" * 10_000)))) < 300
