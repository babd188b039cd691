"""What Pub/Sub refuses before it looks further.

Source: https://cloud.google.com/pubsub/quotas#resource_limits and
https://cloud.google.com/pubsub/docs/pubsub-basics#resource_names
"""

import re
from typing import Any

import grpc

from tests.support.fake_pubsub.refused import Refused, invalid

_MOST_MESSAGES = 1_000
_MOST_BYTES = 10_000_000
_MOST_ATTRIBUTES = 100
_MOST_KEY_BYTES = 256
_MOST_VALUE_BYTES = 1_024
_MOST_ACK_REQUEST_BYTES = 512 * 1024
_MOST_ACK_DEADLINE_S = 600
_LEAST_ACK_DEADLINE_S = 10
_NOT_SUPPORTED = ("enable_exactly_once_delivery", "enable_message_ordering", "filter")
_POLICIES = ("dead_letter_policy", "retry_policy")
_NAME = re.compile(
    r"projects/[a-z][a-z0-9:.-]*/(?P<kind>topics|subscriptions)/(?!goog)[A-Za-z][\w.~+%-]{2,254}",
    re.ASCII,
)


def check_name(name: str, kind: str) -> None:
    """Check the name of a topic or subscription.

    Args:
      name: such as `projects/p/topics/t`.
      kind: `topics` or `subscriptions`.

    Raises:
      Refused: it is none.
    """
    match = _NAME.fullmatch(name)
    if not match or match["kind"] != kind:
        raise invalid(f"Invalid [{kind}] name: (name={name}).")


def check_publish(request: Any) -> None:
    """Check the messages of a PublishRequest.

    Raises:
      Refused: they are none, too many or too large, or one of them is empty or too large, or they
        have several ordering keys (documentation of `PubsubMessage.ordering_key`).
    """
    if not 1 <= len(request.messages) <= _MOST_MESSAGES:
        raise invalid(f"A request holds 1 to {_MOST_MESSAGES} messages: {len(request.messages)}.")
    if request.ByteSize() > _MOST_BYTES:
        raise invalid(f"The request is over {_MOST_BYTES} bytes: {request.ByteSize()}.")
    if len({message.ordering_key for message in request.messages}) > 1:
        raise invalid("The messages of a request have one ordering key, or none.")
    for message in request.messages:
        if not message.data and not message.attributes:
            raise invalid("A message has data or at least one attribute.")
        _check_attributes(message.attributes)


def _check_attributes(attributes: dict[str, str]) -> None:
    if len(attributes) > _MOST_ATTRIBUTES:
        raise invalid(f"A message has at most {_MOST_ATTRIBUTES} attributes: {len(attributes)}.")
    for key, value in attributes.items():
        if not 1 <= len(key.encode()) <= _MOST_KEY_BYTES:
            raise invalid(f"An attribute's key has 1 to {_MOST_KEY_BYTES} bytes.")
        if len(value.encode()) > _MOST_VALUE_BYTES:
            raise invalid(f"An attribute's value has at most {_MOST_VALUE_BYTES} bytes.")


def check_subscription(request: Any) -> None:
    """Check a Subscription that is to be created.

    Raises:
      Refused: a name or number is out of bounds, or it asks for what this server cannot do.
    """
    check_name(request.name, "subscriptions")
    if request.ack_deadline_seconds:
        check_lease(request.ack_deadline_seconds, least_s=_LEAST_ACK_DEADLINE_S)
    asked = [name for name in _NOT_SUPPORTED if getattr(request, name)]
    asked += ["push_config"] * bool(request.push_config.push_endpoint)
    asked += [name for name in _POLICIES if request.HasField(name)]
    if asked:
        reason = f"This server does not support {', '.join(asked)}."
        raise Refused(grpc.StatusCode.UNIMPLEMENTED, reason)


def check_ack_ids(request: Any) -> None:
    """Check an AcknowledgeRequest or ModifyAckDeadlineRequest.

    Raises:
      Refused: it names no ack id, or what can be none, or is too large.
    """
    if not request.ack_ids:
        raise invalid("No ack ids specified.")
    if not all(ack_id.isdecimal() for ack_id in request.ack_ids):
        raise invalid("One of the ack ids is none.")
    if request.ByteSize() > _MOST_ACK_REQUEST_BYTES:
        raise invalid(f"Request payload size exceeds the limit: {_MOST_ACK_REQUEST_BYTES} bytes.")


def check_lease(seconds: int, *, least_s: int = 0) -> None:
    """Check how long a lease is to last.

    Raises:
      Refused: it is out of bounds.
    """
    if not least_s <= seconds <= _MOST_ACK_DEADLINE_S:
        raise invalid(f"The ack deadline is out of bounds: {seconds} s.")


def check_stream(request: Any) -> None:
    """Check the first StreamingPullRequest of a stream.

    Raises:
      Refused: its leases would be too long or too short.
    """
    check_lease(request.stream_ack_deadline_seconds, least_s=_LEAST_ACK_DEADLINE_S)


def check_most_messages(number: int) -> None:
    """Check how many messages a PullRequest asks for.

    Raises:
      Refused: none.
    """
    if number < 1:
        raise invalid(f"max_messages must be at least 1: {number}.")
