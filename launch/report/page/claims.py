"""How a claim's score is shown: by a tint, and in words."""

from schemas import Record
from schemas.checked_answer import Claim

_TINTS = 5


class ClaimStyle(Record, frozen=True, kw_only=True):
    """How a claim is shown.

    Attributes:
      css: the tint's class.
      told: what the tint means, for who does not see it.
    """

    css: str
    told: str


def claim_style(claim: Claim, threshold: float) -> ClaimStyle:
    """Choose the tint of a claim: the lower the score, the deeper.

    Args:
      claim: the claim.
      threshold: 0..1; a claim below it is also underlined.
    """
    score = claim.required_score
    if score is None:
        return ClaimStyle(css="unchecked", told="needs no check")
    tint = f"tint-{min(int(score * _TINTS), _TINTS - 1)}"
    if score < threshold:
        return ClaimStyle(css=f"{tint} unsupported", told="not supported")
    return ClaimStyle(css=tint, told="supported")
