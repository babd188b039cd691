"""The names and colours of verdicts and claims."""

from typing import NamedTuple

from schemas.checked_answer import Claim
from schemas.verdict import Verdict

_TINTS = 5


class VerdictStyle(NamedTuple):
    """A verdict's name on the page, its class in the style sheet, and its meaning."""

    verdict: str
    name: str
    css: str
    meaning: str


STYLES = (
    VerdictStyle(
        Verdict.LOW_GROUNDED,
        "Low-grounded",
        "low",
        "checked and not supported by its sources, or reported as low-grounded by the generator",
    ),
    VerdictStyle(
        Verdict.POLICY_SKIPPED,
        "Policy-skipped",
        "policy",
        "skipped or blocked as adversarial, unsafe or forbidden",
    ),
    VerdictStyle(Verdict.GENERATION_FAILED, "Generation failed", "failed", "the generator failed"),
    VerdictStyle(Verdict.INCOMPLETE, "Incomplete", "incomplete", "still being generated"),
    VerdictStyle(
        Verdict.UNSCORABLE,
        "Unscorable",
        "unscorable",
        "no text, no facts, no claim that needs a check, or too long",
    ),
    VerdictStyle(
        Verdict.NOT_ANSWERED,
        "Not answered",
        "unanswered",
        "skipped by the generator for another reason",
    ),
    VerdictStyle(
        Verdict.GROUNDED, "Grounded", "grounded", "checked, and at or above the thresholds"
    ),
)
"""From the bottom of a column to its top: the most important verdict is on the base line."""


def styles_of(verdicts: set[str]) -> list[VerdictStyle]:
    """Return the styles of verdicts, from the bottom of a column to its top.

    A verdict that this version does not know appears under its own name.
    """
    unknown = sorted(verdicts - {style.verdict for style in STYLES})
    return [
        *(
            VerdictStyle(verdict, verdict, "unknown", "unknown to this version")
            for verdict in unknown
        ),
        *(style for style in STYLES if style.verdict in verdicts),
    ]


class ClaimStyle(NamedTuple):
    """The class of a claim's tint, and its meaning in words for people who do not see colours."""

    css: str
    meaning: str


def claim_style(claim: Claim, threshold: float) -> ClaimStyle:
    """Choose the tint of a claim: the lower its score, the deeper.

    Args:
      claim: the claim.
      threshold: 0..1; a claim below it is also underlined.
    """
    score = claim.required_score
    if score is None:
        return ClaimStyle("unchecked", "needs no check")
    tint = f"tint-{min(int(score * _TINTS), _TINTS - 1)}"
    if score < threshold:
        return ClaimStyle(f"{tint} unsupported", "not supported")
    return ClaimStyle(tint, "supported")
