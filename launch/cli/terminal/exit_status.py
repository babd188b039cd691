"""The exit statuses of commands."""

import errno
import os
import sys

DONE = 0  # everything is done and accounted for
FAILED = 1  # the command failed, or messages are not accounted for
USAGE = 2  # the command line has problems; nothing was started
LEFT = 3  # done, except for retryable failures, deferred messages or rows that wait
LOW_GROUNDED = 4  # done, but more answers are low-grounded than allowed

# As the system and SQLite write it.
_DISK_FULL = (os.strerror(errno.ENOSPC), os.strerror(errno.EDQUOT), "database or disk is full")


def gate(share: float, allowed: float | None) -> int:
    """Return LOW_GROUNDED, and print why, if more than the allowed share is low-grounded."""
    if allowed is None or share <= allowed:
        return DONE
    sentence = f"{share:.1%} of the scored answers are LOW_GROUNDED, more than"
    return fail(f"{sentence} --fail_above {allowed:g}", LOW_GROUNDED)


def fail(sentence: str, status: int = FAILED) -> int:
    """Print why a command failed to stderr, and advice if a disk is full; return the status."""
    if any(words in sentence for words in _DISK_FULL):
        sentence += "; free some space on this disk, and run the same command again"
    sys.stderr.write(f"groundwatch: {sentence}\n")
    return status
