"""What is known of a failed call, also in another process."""

import pickle

import pytest

from transforms.grounding import errors
from transforms.grounding.errors import AnswerRefused, CheckFailed, Unavailable

KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type)]


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
