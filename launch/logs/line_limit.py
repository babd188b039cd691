"""How many lines of a kind are worth writing: an outage is told in a few, the rest is counted."""

from collections.abc import Callable, Hashable, Iterator
from typing import Generic, TypeVar

import msgspec

_MOST_KINDS = 1_000

Kind = TypeVar("Kind", bound=Hashable)


class LineCount(msgspec.Struct):
    """The lines of one kind.

    Attributes:
      since_s: when the first of them came, on the limit's clock.
      lines: how many there were since.
    """

    since_s: float
    lines: int = 0


class LineLimit(Generic[Kind]):
    """Lets so many lines of a kind through in a stretch of time.

    Args:
      most_lines: of a kind in one stretch.
      stretch_s: how long a stretch is; it begins with the first line.
      clock: seconds, never set back.
    """

    def __init__(self, most_lines: int, stretch_s: float, clock: Callable[[], float]) -> None:
        self._most_lines = most_lines
        self._stretch_s = stretch_s
        self._clock = clock
        # In the order in which their stretches began.
        self._kinds: dict[Kind, LineCount] = {}

    def admits(self, kind: Kind) -> bool:
        """Count a line; tells whether it is to be written."""
        count = self._kinds.setdefault(kind, LineCount(self._clock()))
        count.lines += 1
        return count.lines <= self._most_lines

    def left_out(self, *, so_far: bool = False) -> Iterator[tuple[Kind, int]]:
        """Forget the kinds whose stretch is over, and tell how many lines of each were left out.

        Args:
          so_far: whether the others are to be forgotten, too.
        """
        while self._kinds:
            kind, count = next(iter(self._kinds.items()))
            is_over = self._clock() - count.since_s >= self._stretch_s
            if not (so_far or is_over or len(self._kinds) > _MOST_KINDS):
                return
            del self._kinds[kind]
            if count.lines > self._most_lines:
                yield kind, count.lines - self._most_lines
