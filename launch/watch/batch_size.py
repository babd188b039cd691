"""How many messages to work off at once."""

_LEAST = 10
_GROWTH = 2


class BatchSize:
    """Grows and shrinks with the time that batches take, so that none takes long.

    A batch is as slow as its slowest check, its alerts wait for its end, and so does SIGTERM. Where
    checks are slow or rationed, a large one would take minutes.

    Args:
      most: messages in a batch.
      target_s: seconds that a batch is to take at most.
    """

    def __init__(self, most: int, target_s: float) -> None:
        self._most = most
        self._target_s = target_s
        self.messages = most

    def note(self, messages: int, seconds: float) -> None:
        """Hear how long a batch of so many messages took."""
        if seconds > self._target_s:
            wished = round(messages * self._target_s / seconds)
            self.messages = min(self._most, max(_LEAST, wished))
        elif seconds < self._target_s / _GROWTH:
            self.messages = min(self._most, self.messages * _GROWTH)
