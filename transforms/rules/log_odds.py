"""Scores as log odds and back."""

from math import exp, inf, log


def logit(score: float) -> float:
    """Return the log odds of a score, infinite for 0 and 1."""
    if 0 < score < 1:
        return log(score / (1 - score))
    return inf if score >= 1 else -inf


def sigmoid(log_odds: float) -> float:
    """Return the score, between 0 and 1, of some log odds."""
    return 1 / (1 + exp(-log_odds))
