"""The exit statuses of commands, and the gate, `--fail_above`, that decides one."""

import errno
import os
import sys
from collections.abc import Mapping
from typing import NamedTuple

from groundwatch.schemas.verdict import Verdict

DONE = 0  # everything is done and accounted for
FAILED = 1  # the command failed, or messages are not accounted for
USAGE = 2  # the command line has problems; nothing was started
LEFT = 3  # done, except for retryable failures, deferred messages or rows that wait
LOW_GROUNDED = 4  # done, but a gate is red: more low-grounded than allowed, or none scored

# As the system and SQLite write it.
_DISK_FULL = (os.strerror(errno.ENOSPC), os.strerror(errno.EDQUOT), "database or disk is full")


class Gate(NamedTuple):
    """Whether a gate is red, and the sentence that says why, or what a green one is decided by."""

    is_red: bool
    sentence: str


def decide_gate(verdicts: Mapping[str, int], allowed: float, unread: int) -> Gate:
    """Decide a gate by the verdicts and by how many answers could not be read.

    It is red if more than the allowed share of the scored answers is low-grounded, or could not be
    read, of these and the scored ones. Without a scored answer nothing was checked, and it is red.
    """
    low = verdicts.get(Verdict.LOW_GROUNDED, 0)
    scored = low + verdicts.get(Verdict.GROUNDED, 0)
    if not scored:
        others = ", ".join(f"{count:,} {name}" for name, count in verdicts.items() if count)
        found = f" ({others})" if others else ""
        return Gate(True, f"no answer was scored{found}: --fail_above needs at least one")
    if low / scored > allowed:
        share = f"{low / scored:.1%} of the scored answers are LOW_GROUNDED"
        return Gate(True, f"{share}, more than --fail_above {allowed:g}")
    if unread / (scored + unread) > allowed:
        share = f"{unread:,} could not be read, beside {scored:,} that are scored"
        return Gate(True, f"{share}: a larger share than --fail_above {allowed:g}")
    unscored = sum(verdicts.values()) - scored
    beside = f"; {unscored:,} have no score" if unscored else ""
    sentence = (
        f"{low:,} of {scored:,} scored answers LOW_GROUNDED, --fail_above {allowed:g}{beside}"
    )
    return Gate(False, sentence)


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
