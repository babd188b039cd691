"""The errors of a call, one class for each way to handle them."""

from typing import TypeGuard

from groundwatch.schemas.alert import OutageCause


class CheckFailed(Exception):
    """A call failed; the message contains no text of the answer or its facts.

    Attributes:
      retryable: whether the same call may succeed later.
      attempts: attempts of the call, at least 1.
      first_failed_at_us: time of the first failed attempt, microseconds since 1970 UTC; None if
        there was only one.
      detail: what the checker said; it may quote the answer, so only the person who asked sees it.
      cause: why the checker cannot be used, if it cannot.
      index: of the answer among those of `check_many`, from 0.
    """

    retryable = False
    attempts = 1
    first_failed_at_us: int | None = None
    detail: str | None = None
    cause = OutageCause.AWAY
    index: int | None = None


class Unavailable(CheckFailed):
    """The checker cannot answer now: no connection, no reply in time, 408, 429 or 5xx.

    Attributes:
      retry_after_s: seconds that the checker asks to wait, None if it does not say.
      is_overload: whether the checker reports overload.
      was_sent: whether the request may have been sent; False if there was no connection.
    """

    retryable = True

    def __init__(
        self,
        message: str,
        retry_after_s: float | None = None,
        *,
        is_overload: bool = False,
        was_sent: bool = True,
    ) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
        self.is_overload = is_overload or retry_after_s is not None
        self.was_sent = was_sent


class BadReply(Unavailable):
    """The checker answered 200 with an invalid reply."""


class Rejected(CheckFailed):
    """The checker rejects this request (400, 413); a retry cannot succeed."""


class AnswerRefused(CheckFailed):
    """The checker refuses this call (401, 403, 404, 405, a redirect) but answers others."""

    retryable = True


class Deferred(CheckFailed):
    """The answer waits for a later try of the run."""


class OverBudget(Deferred):
    """The budget of the run allows no further call."""


class Interrupted(Deferred):
    """The run was interrupted before the call was sent."""


class RunStopped(CheckFailed):
    """No call can succeed: the run ends, and its input stays unprocessed."""


class Misconfigured(RunStopped):
    """The checker refuses calls, and has answered none (403, 404, a redirect, no credentials)."""

    cause = OutageCause.CREDENTIALS


class Unauthenticated(Misconfigured):
    """The checker does not accept the token (401); a new token may help."""


class GaveUp(RunStopped):
    """No call has succeeded for so long that more attempts would only produce failures."""


def is_of_answer(error: object) -> TypeGuard[CheckFailed]:
    """Return whether an outcome is the failure of one answer alone: others may be checked."""
    return isinstance(error, CheckFailed) and not isinstance(error, RunStopped)
