"""What a subscription has seen, for tests and for the demo."""

import msgspec


class Counts(msgspec.Struct):
    """How many messages of one subscription went which way.

    Attributes:
      published: messages that came to the subscription.
      delivered: deliveries, all of them.
      redelivered: deliveries beyond a message's first.
      acknowledged: deliveries that were acknowledged in time.
      refused: deliveries that were refused (a deadline of 0).
      expired: deliveries whose lease ended.
      dead_lettered: messages that went to the dead-letter topic.
      leased: messages that a reader holds now.
      outstanding: messages not acknowledged yet, those on lease included.
      oldest_unacked_age_s: seconds since the oldest of them was published; 0 when there is none.
    """

    published: int = 0
    delivered: int = 0
    redelivered: int = 0
    acknowledged: int = 0
    refused: int = 0
    expired: int = 0
    dead_lettered: int = 0
    leased: int = 0
    outstanding: int = 0
    oldest_unacked_age_s: float = 0.0
