"""Classify the errors of Pub/Sub, and back off while it does not answer."""

import logging
import random
import threading
import time
from collections.abc import Callable

from google.api_core import exceptions

from groundwatch.transforms.runtime.retry_schedule import RetrySchedule

_MAX_REASON = 200
_ADVICE: dict[type[Exception], str] = {
    exceptions.NotFound: "it does not exist; create it, or correct its name",
    exceptions.Forbidden: "these credentials have no permission; grant them"
    " roles/pubsub.subscriber on the subscription, roles/pubsub.publisher on the topic",
    exceptions.Unauthorized: "these credentials are not accepted; log in again",
}
_TRANSIENT = (
    exceptions.Aborted,
    exceptions.Cancelled,
    exceptions.TooManyRequests,
    exceptions.ServerError,
)
_SCHEDULE = RetrySchedule(first_s=0.1, longest_s=2.0, min_share=0.0)
_log = logging.getLogger(__name__)


class Refused(Exception):
    """Pub/Sub refuses until a person has changed something."""


def is_transient(error: Exception) -> bool:
    """Return whether the same call may succeed later."""
    return isinstance(error, _TRANSIENT) and not isinstance(error, exceptions.MethodNotImplemented)


def is_about_the_caller(error: exceptions.GoogleAPICallError) -> bool:
    """Return whether every call with these credentials and this name fails."""
    return isinstance(error, tuple(_ADVICE))


def refusal(action: str, error: exceptions.GoogleAPICallError) -> str:
    """Describe a refused call, such as "pull from projects/p/subscriptions/s", with advice."""
    advice = (text for kind, text in _ADVICE.items() if isinstance(error, kind))
    reason = f"{type(error).__name__}: {error.message}"[:_MAX_REASON]
    return f"cannot {action}: {next(advice, reason)}"


def find_missing(look: Callable[[], object], action: str) -> str | None:
    """Say that a topic or a subscription does not exist, None if it does or nobody knows.

    Who uses it needs no permission to look at it, and an outage ends.
    """
    try:
        look()
    except exceptions.NotFound as error:
        return refusal(action, error)
    except exceptions.GoogleAPICallError:
        pass
    return None


class Reachability:
    """Log when an outage begins and ends; Pub/Sub ends every stream now and then, unlogged."""

    def __init__(
        self,
        action: str,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.action = action
        self._clock = clock
        self._jitter = jitter
        self._lock = threading.Lock()
        self._failures = 0
        self._failing_since_s = 0.0

    @property
    def is_away(self) -> bool:
        """Whether an outage was logged."""
        return self._failures > 1

    def succeeded(self) -> None:
        with self._lock:
            if self.is_away:
                passed_s = self._clock() - self._failing_since_s
                _log.warning("Pub/Sub answers again after %.0f s: %s", passed_s, self.action)
            self._failures = 0

    def failed(self, error: Exception) -> float:
        """Record a failure; return the seconds to wait: exponential backoff with full jitter."""
        with self._lock:
            self._failures += 1
            if self._failures == 1:
                self._failing_since_s = self._clock()
            if self._failures == 2:  # noqa: PLR2004 - the second in a row
                name = type(error).__name__
                _log.warning("Pub/Sub does not answer (%s): retrying to %s", name, self.action)
            return _SCHEDULE.wait_s(self._failures, self._jitter())
