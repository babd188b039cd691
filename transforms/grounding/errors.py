"""What can go wrong with a call, by what is to be done about it."""


class CheckFailed(Exception):
    """A call that brought no result; its message holds no text of an answer or a fact.

    Attributes:
      retryable: whether the same call may succeed later.
      attempts: how often the call was tried, at least 1.
      first_failed_at_us: when the first attempt failed, microseconds since 1970 UTC; None when
        there was only one.
    """

    retryable = False

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.attempts = 1
        self.first_failed_at_us: int | None = None


class Unavailable(CheckFailed):
    """The service could not answer now: no connection, no reply in time, 408, 429, 5xx.

    Attributes:
      retry_after_s: how many seconds the service asks to wait, None if it does not say.
      is_overload: whether the service says that there are too many calls.
      was_sent: whether the request may have left; False where there was no connection.
    """

    retryable = True
    was_sent = True

    def __init__(
        self, message: str, retry_after_s: float | None = None, *, is_overload: bool = False
    ) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
        self.is_overload = is_overload or retry_after_s is not None


class BadReply(Unavailable):
    """The service said 200 and sent what is no valid reply."""


class Rejected(CheckFailed):
    """The service refuses this very request (400, 413): sending it again is of no use."""


class AnswerRefused(CheckFailed):
    """The checker refuses this call (401, 403, 404, 405, a redirect) and answers others."""

    retryable = True


class OverBudget(CheckFailed):
    """The run may make no further call: the answer is left for a later try."""


class RunStopped(CheckFailed):
    """No call can succeed for now: the run ends, and its input stays as it is."""


class Misconfigured(RunStopped):
    """Every call is refused (403, 404, a redirect, no credentials): a person has to act."""


class Unauthenticated(Misconfigured):
    """The service does not accept the token (401); a fresh one may do."""


class GaveUp(RunStopped):
    """Nothing has succeeded for so long that going on would only fail every answer."""
