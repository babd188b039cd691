"""The wall clock, in the unit of all records."""

import time


def now_us() -> int:
    """Microseconds since 1970 UTC; a person may set it back."""
    return time.time_ns() // 1_000
