"""The exit statuses of commands."""

import errno
import os
import sys
from collections.abc import Mapping

from .gate import decide_gate

DONE = 0  # everything is done and accounted for
FAILED = 1  # the command failed, or messages are not accounted for
USAGE = 2  # the command line has problems; nothing was started
LEFT = 3  # done, except for retryable failures, deferred messages or rows that wait
LOW_GROUNDED = 4  # done, but a gate is red: more low-grounded than allowed, or none scored

# As the system and SQLite write it.
_DISK_FULL = (os.strerror(errno.ENOSPC), os.strerror(errno.EDQUOT), "database or disk is full")


def gate(verdicts: Mapping[str, int], allowed: float | None, unread: int) -> int:
    """Return LOW_GROUNDED if the gate is red, and print why, or what a green one was decided by."""
    if allowed is None:
        return DONE
    decided = decide_gate(verdicts, allowed, unread)
    if decided.is_red:
        return fail(decided.sentence, LOW_GROUNDED)
    sys.stderr.write(f"groundwatch: {decided.sentence}\n")
    return DONE


def fail(sentence: str, status: int = FAILED) -> int:
    """Print why a command failed to stderr, and advice if a disk is full; return the status."""
    if any(words in sentence for words in _DISK_FULL):
        sentence += "; free some space on this disk, and run the same command again"
    sys.stderr.write(f"groundwatch: {sentence}\n")
    return status
