"""How many messages to work off at once."""

_FIRST = 100
_INERTIA = 0.5
_LEAST_LATENCY_S = 0.001


class BatchSize:
    """Keeps batches from taking long where checks are slow or rationed.

    The alerts of a batch wait for its end, and so does SIGTERM. How long a batch took says little:
    one check that hangs holds up a batch of any size, and smaller ones would only do less. So the
    size follows from how many checks can be answered in a second: as many as may be under way at
    once, over what one takes (Little's law), and no more than the quota.

    Args:
      most: messages in a batch.
      in_flight: checks under way at once, at most.
      per_s: the quota of checks in a second, None for none.
      target_s: seconds that a batch is to take.
    """

    def __init__(self, most: int, in_flight: int, per_s: float | None, target_s: float) -> None:
        self._most = most
        self._in_flight = in_flight
        self._target_s = target_s
        self._most_checks = most if per_s is None else per_s * target_s
        self._latency_s: float | None = None
        self.messages = self._within(min(_FIRST, self._most_checks))

    def adjust(
        self, messages: int, seconds: float, *, checked: int, left: int, latency_s: float
    ) -> None:
        """Hear how a batch went.

        Args:
          messages: how many there were.
          seconds: how long all took.
          checked: how many were checked.
          left: how many could not be.
          latency_s: how long a check took, on average of those that were checked.
        """
        if not checked and not left:
            self.messages = self._most
            return
        if checked:
            before_s = latency_s if self._latency_s is None else self._latency_s
            self._latency_s = _INERTIA * before_s + (1 - _INERTIA) * latency_s
            per_s = self._in_flight / max(self._latency_s, _LEAST_LATENCY_S)
        else:
            per_s = left / seconds
        checks = min(per_s * self._target_s, self._most_checks)
        self.messages = self._within(checks * messages / (checked + left))

    def _within(self, messages: float) -> int:
        return max(1, min(self._most, round(messages)))
