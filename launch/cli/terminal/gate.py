"""Decide whether a gate, `--fail_above`, is red, and say by which answers."""

from collections.abc import Mapping

from groundwatch.schemas.verdict import Verdict


def why_red(verdicts: Mapping[str, int], allowed: float, unread: int) -> str | None:
    """Say why a gate is red; None if it is green.

    It is red if more than the allowed share of the scored answers is low-grounded, or could not be
    read, of these and the scored ones. Without a scored answer there is no share, and nothing was
    checked.
    """
    low = verdicts.get(Verdict.LOW_GROUNDED, 0)
    scored = low + verdicts.get(Verdict.GROUNDED, 0)
    if not scored:
        others = ", ".join(f"{count:,} {name}" for name, count in verdicts.items() if count)
        found = f" ({others})" if others else ""
        return f"no answer was scored{found}: --fail_above needs at least one"
    if low / scored > allowed:
        share = f"{low / scored:.1%} of the scored answers are LOW_GROUNDED"
        return f"{share}, more than --fail_above {allowed:g}"
    if unread / (scored + unread) > allowed:
        share = f"{unread:,} could not be read, beside {scored:,} that are scored"
        return f"{share}: a larger share than --fail_above {allowed:g}"
    return None


def green_sentence(verdicts: Mapping[str, int], allowed: float) -> str:
    """Say how many answers a green gate was decided by."""
    low = verdicts.get(Verdict.LOW_GROUNDED, 0)
    scored = low + verdicts.get(Verdict.GROUNDED, 0)
    others = sum(verdicts.values()) - scored
    beside = f"; {others:,} have no score" if others else ""
    return f"{low:,} of {scored:,} scored answers LOW_GROUNDED, --fail_above {allowed:g}{beside}"
