"""Say what labels do not show, because people chose the answers that have one by the verdict."""

from collections import Counter
from collections.abc import Iterable, Mapping

from groundwatch.schemas.verdict import Verdict

_UNEQUAL = 1.25  # times as many of the one verdict's answers have a label as of the other's
_DRAW = "label answers that `groundwatch review` draws at random"


def unknown_recall(labelled: Iterable[str], unlabelled: Mapping[str, int]) -> str | None:
    """Say why labels give no recall; None if they do.

    Args:
      labelled: the verdict of each answer with a label.
      unlabelled: how many answers without one have each verdict.
    """
    found = Counter(labelled)
    flagged, passed = found[Verdict.LOW_GROUNDED], unlabelled.get(Verdict.GROUNDED, 0)
    if not flagged or found[Verdict.GROUNDED] or not passed:
        return None
    return (
        f"recall is unknown: {flagged:,} LOW_GROUNDED answers have a label, and none of the"
        f" {passed:,} GROUNDED ones, of which some may be unsupported: {_DRAW}"
    )


def unequal_labels(labelled: Iterable[str], unlabelled: Mapping[str, int]) -> str | None:
    """Say that labels are not in the proportions of all answers; None if they are.

    The arguments are those of `unknown_recall`.
    """
    found = Counter(labelled)
    verdicts = (Verdict.LOW_GROUNDED, Verdict.GROUNDED)
    totals = [found[each] + unlabelled.get(each, 0) for each in verdicts]
    if not all(found[each] for each in verdicts):
        return None
    flagged, passed = (found[each] / total for each, total in zip(verdicts, totals, strict=True))
    if 1 / _UNEQUAL <= flagged / passed <= _UNEQUAL:
        return None
    parts = (
        f"{found[each]:,} of {total:,} {each.value}"
        for each, total in zip(verdicts, totals, strict=True)
    )
    return (
        f"{' and '.join(parts)} answers have a label: the recall is that of the labelled answers,"
        f" not of all; the page of `groundwatch review` estimates it from answers drawn at random"
    )
