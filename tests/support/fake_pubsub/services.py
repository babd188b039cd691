"""The services `google.pubsub.v1.Publisher` and `Subscriber`: which call does what."""

from collections.abc import Iterator
from typing import Any

from tests.support.fake_pubsub import limits, wire
from tests.support.fake_pubsub.broker import Broker
from tests.support.fake_pubsub.reading import Reader
from tests.support.fake_pubsub.rpc import Calls, Context, Service
from tests.support.fake_pubsub.streaming_pull import converse


def publisher(broker: Broker) -> Service:
    """Answer calls about topics."""

    def publish(request: Any, _: Context) -> Any:
        limits.check_publish(request)
        ids = broker.publish(request.topic, request.messages)
        return wire.PublishResponse(message_ids=ids)

    def delete_topic(request: Any, _: Context) -> Any:
        broker.delete_topic(request.topic)
        return wire.Empty()

    return Service(
        "google.pubsub.v1.Publisher",
        unary={
            "CreateTopic": (wire.Topic, lambda request, _: broker.create_topic(request)),
            "GetTopic": (wire.GetTopicRequest, lambda request, _: broker.topic(request.topic)),
            "DeleteTopic": (wire.DeleteTopicRequest, delete_topic),
            "Publish": (wire.PublishRequest, publish),
        },
    )


def subscriber(broker: Broker, reader: Reader, empty_pull_s: float) -> Service:
    """Answer calls about subscriptions and their messages.

    Args:
      broker: the state.
      reader: waits for messages.
      empty_pull_s: how long a Pull waits for its first message.
    """

    def streaming_pull(requests: Iterator[Any], context: Context) -> Iterator[Any]:
        return converse(requests, context, broker, reader)

    return Service(
        "google.pubsub.v1.Subscriber",
        unary={**_managing(broker), **_pulling(reader, empty_pull_s), **_settling(broker)},
        streaming={"StreamingPull": (wire.StreamingPullRequest, streaming_pull)},
    )


def _managing(broker: Broker) -> Calls:
    def create(request: Any, _: Context) -> Any:
        return broker.create_subscription(request)

    def get(request: Any, _: Context) -> Any:
        return broker.subscription(request.subscription)

    def delete(request: Any, _: Context) -> Any:
        broker.delete_subscription(request.subscription)
        return wire.Empty()

    return {
        "CreateSubscription": (wire.Subscription, create),
        "GetSubscription": (wire.GetSubscriptionRequest, get),
        "DeleteSubscription": (wire.DeleteSubscriptionRequest, delete),
    }


def _pulling(reader: Reader, empty_pull_s: float) -> Calls:
    def pull(request: Any, context: Context) -> Any:
        limits.check_most_messages(request.max_messages)
        return reader.fill(
            wire.PullResponse(),
            context,
            request.subscription,
            most_messages=request.max_messages,
            wait_s=0.0 if request.return_immediately else empty_pull_s,
        )

    return {"Pull": (wire.PullRequest, pull)}


def _settling(broker: Broker) -> Calls:
    def acknowledge(request: Any, _: Context) -> Any:
        limits.check_ack_ids(request)
        broker.acknowledge(request.subscription, request.ack_ids)
        return wire.Empty()

    def prolong(request: Any, _: Context) -> Any:
        limits.check_ack_ids(request)
        limits.check_lease(request.ack_deadline_seconds)
        broker.prolong(request.subscription, request.ack_ids, request.ack_deadline_seconds)
        return wire.Empty()

    return {
        "Acknowledge": (wire.AcknowledgeRequest, acknowledge),
        "ModifyAckDeadline": (wire.ModifyAckDeadlineRequest, prolong),
    }
