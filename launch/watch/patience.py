"""Messages that could not be worked off for now, and when to try them again."""

import time
from collections.abc import Callable, Sequence

from schemas.message import Message

_FIRST_WAIT_S = 1.0
_LONGEST_WAIT_S = 30.0


class Patience:
    """Holds messages, and waits longer from try to try while nothing succeeds.

    Args:
      clock: seconds, never set back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._messages: list[Message] = []
        self._wait_s = _FIRST_WAIT_S
        self._due_at_s = 0.0

    @property
    def waiting(self) -> int:
        """How many messages are held."""
        return len(self._messages)

    def hold(self, messages: Sequence[Message]) -> None:
        """Hold messages for a while."""
        self._messages.extend(messages)
        self._due_at_s = self._clock() + self._wait_s
        self._wait_s = min(2 * self._wait_s, _LONGEST_WAIT_S)

    def note_outcome(self, *, done: int) -> None:
        """Hear how many messages came to their end; after some, the waits are short again."""
        if done:
            self._wait_s = _FIRST_WAIT_S

    def take_if_due(self) -> list[Message]:
        """Take all that is held, once it is time."""
        if self._clock() < self._due_at_s:
            return []
        messages, self._messages = self._messages, []
        return messages
