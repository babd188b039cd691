"""Messages that could not be worked off for now, and when to try them again."""

import time
from collections.abc import Callable, Sequence

import msgspec

from schemas.message import Message

MOST_TRIES = 5
_FIRST_WAIT_S = 1.0
_LONGEST_WAIT_S = 30.0


class _Trial(msgspec.Struct):
    """How often a message was tried, and how other checks had fared before."""

    checked_before: int
    left_before: int
    tries: int = 0

    @property
    def wait_s(self) -> float:
        return min(_FIRST_WAIT_S * 2.0 ** (self.tries - 1), _LONGEST_WAIT_S)


class Patience:
    """Holds messages, each the longer the more often it was tried.

    Args:
      clock: seconds, never set back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._held: list[tuple[float, Message]] = []
        self._trials: dict[str, _Trial] = {}
        self._checked = 0
        self._left = 0
        self._wait_s = _FIRST_WAIT_S

    @property
    def waiting(self) -> int:
        """How many messages are held."""
        return len(self._held)

    def hold(self, messages: Sequence[Message]) -> None:
        """Hold messages of which nothing was found out: the machine has no room."""
        self._hold(messages, self._wait_s)
        self._wait_s = min(2 * self._wait_s, _LONGEST_WAIT_S)

    def judge(self, left: Sequence[Message], *, checked: int) -> list[Message]:
        """Hear how the checks of a batch fared, and hold what could not be checked.

        Args:
          left: the messages that could not.
          checked: how many could.

        Returns:
          Messages that are hopeless, and not held: each was tried often enough while most other
          checks succeeded, so the checker is there, and at fault with this very one.
        """
        trials = {message.place: self._trial(message) for message in left}
        self._checked += checked
        self._left += len(left)
        hopeless = [message for message in left if self._is_hopeless(trials[message.place])]
        given_up = {message.place for message in hopeless}
        for message in left:
            if message.place not in given_up:
                self._hold([message], trials[message.place].wait_s)
        self._wait_s = _FIRST_WAIT_S
        self._trials |= trials
        held = {message.place for _, message in self._held}
        self._trials = {place: trial for place, trial in self._trials.items() if place in held}
        return hopeless

    def take_due(self, most: int) -> list[Message]:
        """Take messages whose time has come, so many at most."""
        now_s = self._clock()
        due = [message for due_at_s, message in self._held if due_at_s <= now_s][:most]
        taken = {message.place for message in due}
        self._held = [held for held in self._held if held[1].place not in taken]
        return due

    def _hold(self, messages: Sequence[Message], wait_s: float) -> None:
        due_at_s = self._clock() + wait_s
        self._held += [(due_at_s, message) for message in messages]

    def _trial(self, message: Message) -> _Trial:
        trial = self._trials.get(message.place) or _Trial(self._checked, self._left)
        trial.tries += 1
        return trial

    def _is_hopeless(self, trial: _Trial) -> bool:
        checked, left = self._checked - trial.checked_before, self._left - trial.left_before
        return trial.tries >= MOST_TRIES and checked > left
