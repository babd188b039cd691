"""A subscription: messages to work on, whose fate Pub/Sub is told once it is settled."""

import time
from collections.abc import Callable, Iterable
from typing import Self

from google.pubsub_v1 import SubscriberClient

from launch.pubsub import clients
from launch.pubsub.held import Fate, Held, Holding
from launch.pubsub.reachability import Reachability
from launch.pubsub.receiving import Receiver
from launch.pubsub.settings import PullSettings
from launch.pubsub.settling import Settler
from launch.pubsub.telling import Telling
from schemas import Record
from schemas.message import Message
from schemas.quantities import SECOND_US
from transforms.grounding.settings import GoogleAccount


class Standing(Record, frozen=True, kw_only=True):
    """How a subscription fares, as seen from here.

    Attributes:
      holding: how many messages are held.
      oldest_unacked_age_s: since the oldest message held that is not settled was published; 0.0 for
        none. What Pub/Sub has not delivered yet may be older.
      answers: whether Pub/Sub answers, as far as is known.
      oldest_waiting_age_s: as the age above, of messages that were not handed out yet.
    """

    holding: Holding
    oldest_unacked_age_s: float
    answers: bool
    oldest_waiting_age_s: float = 0.0


class Subscription:
    """Pulls messages, holds their leases while they are worked on, settles them.

    A message is acknowledged when the caller says that its outcome is durable, and not before; when
    this process dies, it comes again after its lease has ended. A message that is delivered again
    while it is held is not handed out twice. Times in which Pub/Sub does not answer are waited out,
    with one line in the log when they begin and one when they end. Nothing of a message ever stands
    in the log or in an exception. Every method may be called from any thread.

    Args:
      client: the official one; it is closed in the end.
      name: the subscription's full name, `projects/p/subscriptions/s`.
      settings: how much is held, and for how long.
      clock: seconds, never set back: the ages of leases.
      wall_clock: seconds since 1970: the ages of messages.
    """

    def __init__(
        self,
        client: SubscriberClient,
        name: str,
        settings: PullSettings = PullSettings(),  # noqa: B008 - it is frozen
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._client = client
        self._wall_clock = wall_clock
        self._held = Held(settings, clock)
        self._pulling = Reachability(f"pull from {name}", clock)
        self._receiver = Receiver(client, name, settings, self._held, self._pulling)
        self._settling = Reachability(f"settle the messages of {name}", clock)
        telling = Telling(client, name, settings.call_timeout_s, self._settling)
        self._settler = Settler(telling, self._held, settings, self._settling, clock)
        self._receiver.start()
        self._settler.start()

    @classmethod
    def open(
        cls,
        name: str,
        settings: PullSettings = PullSettings(),  # noqa: B008 - it is frozen
        *,
        address: str | None = None,
        account: GoogleAccount = GoogleAccount(),  # noqa: B008 - it is frozen
    ) -> Self:
        """Connect, and begin to read.

        Args:
          name: the subscription's full name, `projects/p/subscriptions/s`.
          settings: how much is held, and for how long.
          address: of a server without encryption, such as ``127.0.0.1:8085``; None for what
            PUBSUB_EMULATOR_HOST says, else Google's service.
          account: who asks Google's service.

        Raises:
          Misconfigured: there are no credentials.
        """
        return cls(clients.open_subscriber(address, account), name, settings)

    def pull(self, most_messages: int, most_bytes: int, wait_s: float) -> tuple[Message, ...]:
        """Take messages to work on.

        Args:
          most_messages: how many at most.
          most_bytes: of what size together; a single larger message still comes.
          wait_s: how long to wait for a first one.

        Returns:
          Messages whose `place` is their message id; none when none came in time, or when the
          subscription was closed.

        Raises:
          Refused: Pub/Sub will give none until a person has changed something.
        """
        return self._held.take(most_messages, most_bytes, wait_s)

    def acknowledge(self, places: Iterable[str]) -> None:
        """Let messages be forgotten: their outcome is durable. Returns at once.

        Args:
          places: of messages; those that are settled already are passed over.
        """
        self._settle(places, Fate.FORGET)

    def refuse(self, places: Iterable[str]) -> None:
        """Let messages be delivered again, soon and perhaps elsewhere. Returns at once.

        Args:
          places: of messages; those that are settled already are passed over.
        """
        self._settle(places, Fate.DELIVER_AGAIN)

    def standing(self) -> Standing:
        """Say how it fares."""
        holding = self._held.holding()
        return Standing(
            holding=holding,
            oldest_unacked_age_s=self._age_s(holding.oldest_publish_time_us),
            answers=not (self._pulling.is_away or self._settling.is_away),
            oldest_waiting_age_s=self._age_s(holding.oldest_waiting_us),
        )

    def _age_s(self, since_us: int | None) -> float:
        return 0.0 if since_us is None else max(0.0, self._wall_clock() - since_us / SECOND_US)

    def close(self, within_s: float = 10.0) -> Holding:
        """Read no more, refuse what is not settled, tell Pub/Sub of what is, and disconnect.

        Args:
          within_s: it takes no longer than that.

        Returns:
          What is still held then: of these messages Pub/Sub has not heard, they come again.
        """
        until_s = time.monotonic() + within_s
        self._held.close()
        self._receiver.stop(within_s / 2)
        self._settler.stop(max(0.0, until_s - time.monotonic()))
        clients.close(self._client)
        return self._held.holding()

    def _settle(self, places: Iterable[str], fate: Fate) -> None:
        self._held.settle(places, fate)
        self._settler.want()
