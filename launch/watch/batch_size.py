"""Choose how many messages a batch takes."""

_FIRST = 100
_INERTIA = 0.5
_LEAST_LATENCY_S = 0.001
_TARGET_S = 5.0  # how long a batch should take


class BatchSize:
    """Keep batches short where checks are slow or have a quota.

    The alerts of a batch wait for its end, and so does a drain. The duration of a batch measures
    nothing: one check that hangs delays a batch of any size. So the size follows from the checks
    that finish in a second: those in flight over the latency of one (Little's law), and no more
    than the quota `per_minute`.
    """

    def __init__(self, most: int, in_flight: int, per_minute: float | None) -> None:
        self._most = most
        self._in_flight = in_flight
        self._most_checks = most if per_minute is None else per_minute / 60 * _TARGET_S
        self._latency_s: float | None = None
        self.messages = self._within(min(_FIRST, self._most_checks))

    def adjust(
        self, messages: int, seconds: float, *, checked: int, deferred: int, latency_s: float
    ) -> None:
        """Adjust the size after a batch; the checks of `deferred` answers of it go on."""
        if not checked and not deferred:
            self.messages = self._most
            return
        if checked:
            before_s = latency_s if self._latency_s is None else self._latency_s
            self._latency_s = _INERTIA * before_s + (1 - _INERTIA) * latency_s
            per_s = self._in_flight / max(self._latency_s, _LEAST_LATENCY_S)
        else:
            per_s = deferred / seconds
        checks = min(per_s * _TARGET_S, self._most_checks)
        self.messages = self._within(checks * messages / (checked + deferred))

    def _within(self, messages: float) -> int:
        return max(1, min(self._most, round(messages)))
