"""What a subscription has seen."""

import msgspec


class Counts(msgspec.Struct):
    """How many messages of one subscription went which way.

    Attributes:
      published: messages that came to the subscription.
      delivered: deliveries, all of them.
      acknowledged: deliveries that were acknowledged in time.
      refused: deliveries that were refused (a deadline of 0).
      expired: deliveries whose lease ended.
      leased: messages that a reader holds now.
      outstanding: messages not acknowledged yet, those on lease included.
    """

    published: int = 0
    delivered: int = 0
    acknowledged: int = 0
    refused: int = 0
    expired: int = 0
    leased: int = 0
    outstanding: int = 0
