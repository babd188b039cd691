"""The exit statuses of commands."""

import sys

DONE = 0  # everything is done and accounted for
FAILED = 1  # the command failed, or messages are not accounted for
USAGE = 2  # the command line has problems; nothing was started
LEFT = 3  # done, except for retryable failures or deferred messages


def fail(sentence: str) -> int:
    """Print why a command failed to stderr; return the exit status."""
    sys.stderr.write(f"groundwatch: {sentence}\n")
    return FAILED
