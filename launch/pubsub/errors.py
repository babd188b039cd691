"""Errors of Pub/Sub: those to retry, and those that a person has to resolve."""

from google.api_core import exceptions

_MAX_REASON = 200
_ADVICE: dict[type[Exception], str] = {
    exceptions.NotFound: "it does not exist; create it, or correct its name",
    exceptions.Forbidden: "these credentials have no permission; grant them"
    " roles/pubsub.subscriber on the"
    " subscription, roles/pubsub.publisher on the topic",
    exceptions.Unauthorized: "these credentials are not accepted; log in again",
}
_PASSING = (
    exceptions.Aborted,
    exceptions.Cancelled,
    exceptions.TooManyRequests,
    exceptions.ServerError,
)


class Refused(Exception):
    """Pub/Sub refuses until a person has changed something."""


class Unpublished(Exception):
    """Messages may not have been stored: Pub/Sub did not answer in time."""


def is_passing(error: Exception) -> bool:
    """Return whether the same call may succeed later."""
    return isinstance(error, _PASSING) and not isinstance(error, exceptions.MethodNotImplemented)


def is_about_the_caller(error: exceptions.GoogleAPICallError) -> bool:
    """Return whether every call with these credentials and this name fails."""
    return isinstance(error, tuple(_ADVICE))


def refused(action: str, error: exceptions.GoogleAPICallError) -> Refused:
    """Describe a refusal, with advice for a person.

    Args:
      action: what was tried, such as "pull from projects/p/subscriptions/s".
      error: what Pub/Sub said.
    """
    for kind, advice in _ADVICE.items():
        if isinstance(error, kind):
            return Refused(f"cannot {action}: {advice}")
    reason = f"{type(error).__name__}: {error.message}"[:_MAX_REASON]
    return Refused(f"cannot {action}: {reason}")
