"""How verdicts are named and drawn."""

from schemas import Record
from schemas.verdict import Verdict


class VerdictStyle(Record, frozen=True, kw_only=True):
    """How one verdict is shown.

    Attributes:
      verdict: its name in the records.
      name: its name on the page.
      css: its class in the style sheet.
      meaning: what it says, in a few words.
    """

    verdict: str
    name: str
    css: str
    meaning: str


STYLES = (
    VerdictStyle(
        verdict=Verdict.LOW_GROUNDED,
        name="Low-grounded",
        css="low",
        meaning="checked, and its sources do not support it; or the generator said so itself",
    ),
    VerdictStyle(
        verdict=Verdict.POLICY_SKIPPED,
        name="Policy-skipped",
        css="policy",
        meaning="skipped or blocked as adversarial, unsafe or forbidden",
    ),
    VerdictStyle(
        verdict=Verdict.GENERATION_FAILED,
        name="Generation failed",
        css="failed",
        meaning="the generator failed",
    ),
    VerdictStyle(
        verdict=Verdict.INCOMPLETE,
        name="Incomplete",
        css="incomplete",
        meaning="still being made",
    ),
    VerdictStyle(
        verdict=Verdict.UNSCORABLE,
        name="Unscorable",
        css="unscorable",
        meaning="no text, no facts, no claim that needs a check, or too long",
    ),
    VerdictStyle(
        verdict=Verdict.NOT_ANSWERED,
        name="Not answered",
        css="unanswered",
        meaning="skipped by the generator for another reason",
    ),
    VerdictStyle(
        verdict=Verdict.GROUNDED,
        name="Grounded",
        css="grounded",
        meaning="checked, and at or above the thresholds",
    ),
)
"""From the bottom of a column to its top: what matters most stands on the base line."""


def styles_of(verdicts: set[str]) -> list[VerdictStyle]:
    """The styles of these verdicts, from the bottom of a column to its top.

    One that this version does not know is shown by its own name.
    """
    known = [style for style in STYLES if style.verdict in verdicts]
    strangers = sorted(verdicts - {style.verdict for style in STYLES})
    return [*map(_unknown, strangers), *known]


def _unknown(verdict: str) -> VerdictStyle:
    return VerdictStyle(verdict=verdict, name=verdict, css="unknown", meaning="not known here")
