"""The exit statuses of commands."""

import errno
import os
import sys
from collections.abc import Mapping

from groundwatch.schemas.verdict import Verdict

DONE = 0  # everything is done and accounted for
FAILED = 1  # the command failed, or messages are not accounted for
USAGE = 2  # the command line has problems; nothing was started
LEFT = 3  # done, except for retryable failures, deferred messages or rows that wait
LOW_GROUNDED = 4  # done, but a gate is red: more low-grounded than allowed, less caught than wanted

# As the system and SQLite write it.
_DISK_FULL = (os.strerror(errno.ENOSPC), os.strerror(errno.EDQUOT), "database or disk is full")


def gate(verdicts: Mapping[str, int], allowed: float | None) -> int:
    """Return LOW_GROUNDED, and print why, unless the share of low-grounded answers is allowed.

    Without a scored answer there is no share, and nothing was checked.
    """
    low = verdicts.get(Verdict.LOW_GROUNDED, 0)
    scored = low + verdicts.get(Verdict.GROUNDED, 0)
    if allowed is None or (scored and low / scored <= allowed):
        return DONE
    if scored:
        sentence = f"{low / scored:.1%} of the scored answers are LOW_GROUNDED, more than"
        return fail(f"{sentence} --fail_above {allowed:g}", LOW_GROUNDED)
    others = ", ".join(f"{count:,} {name}" for name, count in verdicts.items() if count)
    found = f" ({others})" if others else ""
    return fail(f"no answer was scored{found}: --fail_above needs at least one", LOW_GROUNDED)


def fail(sentence: str, status: int = FAILED) -> int:
    """Print why a command failed to stderr, and advice if a disk is full; return the status."""
    if any(words in sentence for words in _DISK_FULL):
        sentence += "; free some space on this disk, and run the same command again"
    sys.stderr.write(f"groundwatch: {sentence}\n")
    return status
