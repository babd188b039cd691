"""Decide whether a gate, `--fail_above`, is red, and say by which answers."""

from collections.abc import Mapping
from typing import NamedTuple

from groundwatch.schemas.verdict import Verdict


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
    share = f"{low:,} of {scored:,} scored answers LOW_GROUNDED"
    return Gate(False, f"{share}, --fail_above {allowed:g}{beside}")
