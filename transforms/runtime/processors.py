"""Count the processors that this process may use."""

import os


def usable_processors() -> int:
    """Return their number, at least 1; where the system does not say, that of the machine."""
    if hasattr(os, "sched_getaffinity"):  # macOS has none
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
