"""Keep messages that are processed again: after a failed batch, or after a long check."""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from pipeline.sinks.batch_results import DeferredAnswer
from schemas.message import Message

_FIRST_WAIT_S = 1.0
_MAX_WAIT_S = 30.0


class RetryQueue:
    """Keep messages whose batch failed, for a time that grows until a batch succeeds.

    Args:
      clock: seconds, monotonic.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._messages: list[tuple[float, Message]] = []
        self._wait_s = _FIRST_WAIT_S

    def __len__(self) -> int:
        return len(self._messages)

    def add(self, messages: Sequence[Message]) -> None:
        """Keep messages whose batch failed."""
        due_at_s = self._clock() + self._wait_s
        self._messages += [(due_at_s, message) for message in messages]
        self._wait_s = min(2 * self._wait_s, _MAX_WAIT_S)

    def reset(self) -> None:
        """Let the next messages wait for the shortest time: a batch has succeeded."""
        self._wait_s = _FIRST_WAIT_S

    def take_due(self, max_messages: int) -> list[Message]:
        """Take messages whose time has come."""
        now_s = self._clock()
        due = [message for due_at_s, message in self._messages if due_at_s <= now_s][:max_messages]
        taken = {message.place for message in due}
        self._messages = [kept for kept in self._messages if kept[1].place not in taken]
        return due


class PendingMessage(NamedTuple):
    """A message, as it was delivered, and those of its answers that are being checked."""

    message: Message
    answers: tuple[DeferredAnswer, ...]


class PendingChecks:
    """Keep messages while checks of their answers go on in the background.

    Args:
      has_ended: whether the check of an answer has ended, by record id.
    """

    def __init__(self, has_ended: Callable[[str], bool]) -> None:
        self._has_ended = has_ended
        # By place.
        self._pending: dict[str, PendingMessage] = {}

    def __len__(self) -> int:
        return len(self._pending)

    def add(self, messages: Iterable[Message], answers: Iterable[DeferredAnswer]) -> None:
        """Keep messages.

        Args:
          messages: as they were delivered; those without such an answer are ignored.
          answers: those that are being checked.
        """
        by_place: dict[str, tuple[DeferredAnswer, ...]] = {}
        for answer in answers:
            place = answer.place
            by_place[place] = (*by_place.get(place, ()), answer)
        self._pending |= {
            message.place: PendingMessage(message, by_place[message.place])
            for message in messages
            if message.place in by_place
        }

    def take_ended(self, max_messages: int) -> Sequence[PendingMessage]:
        """Take messages whose checks have all ended, successful or not."""
        ended: list[PendingMessage] = []
        for pending in self._pending.values():
            if len(ended) == max_messages:
                break
            if all(self._has_ended(answer.record_id) for answer in pending.answers):
                ended.append(pending)
        for pending in ended:
            del self._pending[pending.message.place]
        return ended
