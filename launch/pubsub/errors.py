"""What can go wrong with Pub/Sub, by what is to be done about it."""

from google.api_core import exceptions

_LONGEST_REASON = 200
_ADVICE: dict[type[Exception], str] = {
    exceptions.NotFound: "it does not exist; create it, or correct its name",
    exceptions.Forbidden: "these credentials may not; grant them roles/pubsub.subscriber on the"
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
    """Pub/Sub refuses, and will go on refusing until a person has changed something."""


class Unpublished(Exception):
    """Messages may not have been stored: Pub/Sub did not answer in time."""


def is_passing(error: Exception) -> bool:
    """Tell whether the same call may succeed later."""
    return isinstance(error, _PASSING) and not isinstance(error, exceptions.MethodNotImplemented)


def is_about_the_caller(error: exceptions.GoogleAPICallError) -> bool:
    """Tell whether every call like this one will be refused, whatever it asks for."""
    return isinstance(error, tuple(_ADVICE))


def refused(action: str, error: exceptions.GoogleAPICallError) -> Refused:
    """Put a refusal into words for the person who has to act on it.

    Args:
      action: what was tried, such as "pull from projects/p/subscriptions/s".
      error: what Pub/Sub said.
    """
    for kind, advice in _ADVICE.items():
        if isinstance(error, kind):
            return Refused(f"cannot {action}: {advice}")
    reason = f"{type(error).__name__}: {error.message}"[:_LONGEST_REASON]
    return Refused(f"cannot {action}: {reason}")
