"""Keep messages that the machine could not process, and say when to try them again."""

import time
from collections.abc import Callable, Sequence

from schemas.message import Message

_FIRST_WAIT_S = 1.0
_LONGEST_WAIT_S = 30.0


class RetryQueue:
    """Keep messages for a while that grows until some messages are processed.

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
        """Keep messages that could not be processed."""
        due_at_s = self._clock() + self._wait_s
        self._messages += [(due_at_s, message) for message in messages]
        self._wait_s = min(2 * self._wait_s, _LONGEST_WAIT_S)

    def reset(self) -> None:
        """Note that messages were processed: the next ones wait for the shortest time again."""
        self._wait_s = _FIRST_WAIT_S

    def take_due(self, most: int) -> list[Message]:
        """Take messages whose time has come, so many at most."""
        now_s = self._clock()
        due = [message for due_at_s, message in self._messages if due_at_s <= now_s][:most]
        taken = {message.place for message in due}
        self._messages = [kept for kept in self._messages if kept[1].place not in taken]
        return due
