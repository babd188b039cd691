"""What the server does wrong, switched on and off while it runs."""

import random
import time
from collections.abc import Iterable

import grpc
import msgspec

from tests.support.fake_pubsub.refused import Refused

_MOST_COPIES = 4


class Faults(msgspec.Struct):
    """The server's faults; none to begin with. Assign to them at any time, from any thread.

    Attributes:
      unavailable: every call ends with UNAVAILABLE, streams that are open included.
      slow_s: seconds that every call is delayed.
      duplicated_share: 0..1, of the messages published from now on: so many are delivered 2 to 5
        times, under one message id.
      lost_acks_share: 0..1, so many acknowledgements have no effect, though they are answered well.
      starves_streams: streams that are opened while this is set get no message, ever.
      sends_late: what a stream receives leaves only when the client has ended its requests.
      chance: where chance comes from.
    """

    unavailable: bool = False
    slow_s: float = 0.0
    duplicated_share: float = 0.0
    lost_acks_share: float = 0.0
    starves_streams: bool = False
    sends_late: bool = False
    chance: random.Random = msgspec.field(default_factory=lambda: random.Random(0))  # noqa: S311 - faults that can be repeated

    def delay(self) -> None:
        """Delay a call if so configured."""
        if self.slow_s:
            time.sleep(self.slow_s)

    def strike(self) -> None:
        """Refuse a call if so configured.

        Raises:
          Refused: the server is unavailable.
        """
        if self.unavailable:
            raise Refused(
                grpc.StatusCode.UNAVAILABLE, "The service is configured to be unavailable."
            )

    def copies(self) -> int:
        """Decide how many further times a message is delivered."""
        if self.chance.random() >= self.duplicated_share:
            return 0
        return self.chance.randint(1, _MOST_COPIES)

    def accepted(self, ack_ids: Iterable[str]) -> list[str]:
        """Decide which acknowledgements count."""
        return [ack_id for ack_id in ack_ids if self.chance.random() >= self.lost_acks_share]
