"""Scores and probabilities."""


def proportion(score: float | None) -> float | None:
    """A score that is one, 0..1; None for an absent one, NaN, or one outside that range."""
    return score if score is not None and 0.0 <= score <= 1.0 else None
