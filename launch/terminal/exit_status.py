"""The exit statuses of commands."""

import sys

DONE = 0
"""Everything is done and accounted for."""

FAILED = 1
"""The command failed, or messages are not accounted for."""

USAGE = 2
"""The command line has problems; nothing was started."""

LEFT = 3
"""Done, except for retryable failures or deferred messages."""


def fail(sentence: str) -> int:
    """Print why a command failed to stderr; return the exit status."""
    sys.stderr.write(f"groundwatch: {sentence}\n")
    return FAILED
