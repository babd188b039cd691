import pytest

from transforms.grounding.errors import (
    BadReply,
    GaveUp,
    Misconfigured,
    Rejected,
    Unauthenticated,
    Unavailable,
)
from transforms.grounding.retrying import JITTER_S, backoff

DECISIONS = {
    "unavailable": (Unavailable("x"), True),
    "a bad reply": (BadReply("x"), True),
    "asked to wait": (Unavailable("x", 7), 7 + JITTER_S / 2),
    "asked not to wait": (Unavailable("x", 0), JITTER_S / 2),
    "asked to wait to the end": (Unavailable("x", 10), 10 + JITTER_S / 2),
    "asked to wait too long": (Unavailable("x", 11), False),
    "asked to wait for ever": (Unavailable("x", float("inf")), False),
    "refused": (Rejected("x"), False),
    "not set up": (Misconfigured("x"), False),
    "not authenticated": (Unauthenticated("x"), False),
    "gave up": (GaveUp("x"), False),
    "no fault of the call": (ValueError("x"), False),
}


@pytest.mark.parametrize(("error", "decision"), DECISIONS.values(), ids=DECISIONS)
def test_only_what_may_pass_is_tried_again_and_no_sooner_than_asked(
    error: Exception, decision: bool | float
) -> None:
    assert backoff(error, 0.5, 10) == decision
    assert type(backoff(error, 0.5, 10)) is type(decision)
