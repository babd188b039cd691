"""How high a share surely is, so that one of one does not outrank ninety of a hundred."""

from math import sqrt

_Z = 1.96
"""Standard deviations that hold 95 % of a normal distribution."""


def surely_at_least(hits: int, of: int) -> float:
    """The lower end of Wilson's 95 % interval for a share, with the correction for small numbers.

    Args:
      hits: how many of them, at most `of`.
      of: how many were looked at.

    Returns:
      0..1; 0 where nothing was looked at.

    Source: R. G. Newcombe, "Two-sided confidence intervals for the single proportion", Statistics
    in Medicine 17 (1998), method 4.
    """
    if not hits:
        return 0.0
    share, square = hits / of, _Z * _Z
    spread = _Z * sqrt(square - 1 / of + 4 * hits * (1 - share) + 4 * share - 2) + 1
    return max(0.0, (2 * hits + square - spread) / (2 * (of + square)))
