"""What can go wrong with a call, by what is to be done about it."""


class CheckFailed(Exception):
    """A call that brought no result; its message holds no text of an answer or a fact.

    Attributes:
      retryable: whether the same call may succeed later.
      attempts: how often the call was sent.
    """

    retryable = False

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.attempts = 1


class Unavailable(CheckFailed):
    """The service could not answer now: no connection, no reply in time, 408, 429, 5xx.

    Attributes:
      retry_after_s: how many seconds the service asks to be left alone, None if it does not say.
    """

    retryable = True

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class BadReply(Unavailable):
    """The service said 200 and sent what is no valid reply."""


class Rejected(CheckFailed):
    """The service refuses this very request (400, 413): sending it again is of no use."""


class Misconfigured(CheckFailed):
    """No call can succeed before a person changes something (401, 403, 404, a redirect)."""
