"""A clock that moves only when a test moves it."""


class ManualClock:
    """Seconds since 1970, or since anything else.

    Args:
      now_s: the first time; by default noon of a day in 2026.
    """

    def __init__(self, now_s: float = 1_772_539_200.0) -> None:
        self.now_s = now_s

    def __call__(self) -> float:
        return self.now_s

    def advance(self, seconds: float) -> None:
        """Let time pass at once."""
        self.now_s += seconds
