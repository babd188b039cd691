"""Keep the messages of answers whose checks go on in the background."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from pipeline.sinks.batch_results import DeferredAnswer
from schemas.message import Message


class HeldMessage(NamedTuple):
    """A message, as it was delivered, and those of its answers that are being checked."""

    message: Message
    answers: tuple[DeferredAnswer, ...]


class HeldMessages:
    """Keep messages until all checks of their answers have ended, successful or not.

    Args:
      has_ended: tells by record id whether the check of an answer has.
    """

    def __init__(self, has_ended: Callable[[str], bool]) -> None:
        self._has_ended = has_ended
        # By place.
        self._held: dict[str, HeldMessage] = {}

    def __len__(self) -> int:
        return len(self._held)

    def add(self, messages: Iterable[Message], answers: Iterable[DeferredAnswer]) -> None:
        """Keep messages.

        Args:
          messages: as they were delivered; those without such an answer are passed over.
          answers: those that are being checked.
        """
        by_place: dict[str, tuple[DeferredAnswer, ...]] = {}
        for answer in answers:
            place = answer.place
            by_place[place] = (*by_place.get(place, ()), answer)
        self._held |= {
            message.place: HeldMessage(message, by_place[message.place])
            for message in messages
            if message.place in by_place
        }

    def take_ended(self, most: int) -> Sequence[HeldMessage]:
        """Take messages whose checks have all ended, so many at most."""
        ended: list[HeldMessage] = []
        for held in self._held.values():
            if len(ended) == most:
                break
            if all(self._has_ended(answer.record_id) for answer in held.answers):
                ended.append(held)
        for held in ended:
            del self._held[held.message.place]
        return ended
