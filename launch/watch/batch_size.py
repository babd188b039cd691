"""How many messages to work off at once."""

_FIRST = 10
_GROWTH = 2
_AS_FAST = 0.75
"""Messages a second over those of the batch before, or the other way round: no change of speed."""


class BatchSize:
    """Grows and shrinks with the time that batches take.

    The alerts of a batch wait for its end, and so does SIGTERM: where checks are slow or rationed,
    a large one would take minutes. But a batch takes as long as its slowest check, however small it
    is, so that it is made smaller only where that costs no speed.

    Args:
      most: messages in a batch.
      target_s: seconds that a batch is to take at most.
    """

    def __init__(self, most: int, target_s: float) -> None:
        self._most = most
        self._target_s = target_s
        self._per_s = 0.0
        self.messages = min(_FIRST, most)

    def note(self, messages: int, seconds: float) -> None:
        """Hear how long a batch of so many messages took."""
        before_per_s, self._per_s = self._per_s or messages / seconds, messages / seconds
        is_slow = seconds > self._target_s
        is_as_fast = _AS_FAST * before_per_s <= self._per_s <= before_per_s / _AS_FAST
        if is_slow and is_as_fast:
            self.messages = max(1, min(self._most, round(self._per_s * self._target_s)))
        elif is_slow or seconds < self._target_s / _GROWTH:
            self.messages = min(self._most, self.messages * _GROWTH)
