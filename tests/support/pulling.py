"""Pulling all that tests have published."""

from groundwatch.launch.engine.pubsub.subscription import Subscription
from groundwatch.schemas.message import Message
from tests.support.waiting import wait_until

PLENTY = 1_000_000_000


def pull_all(subscription: Subscription, number: int, within_s: float = 20.0) -> list[Message]:
    """Pull a number of messages, without acknowledging them."""
    pulled: list[Message] = []

    def complete() -> bool:
        pulled.extend(subscription.pull(1_000, PLENTY, 1.0))
        return len(pulled) >= number

    wait_until(complete, within_s)
    return pulled


def acknowledge(subscription: Subscription, *messages: Message) -> None:
    """Acknowledge messages."""
    subscription.acknowledge([message.place for message in messages])
