"""Add the log odds that a model gives to a claim to those of its words."""

from math import inf

from .claim_result import WRONG, ClaimResult

_MOST_LOG_ODDS = 100.0
"""Log odds are kept within these, which are scores of 0 and 1 to any digit that is shown."""


def add_model(
    words: ClaimResult, model: ClaimResult, weight: float, citation_log_odds: float
) -> ClaimResult:
    """Return a claim's result by its words and by a model, whose log odds count `weight` times.

    A claim that is wrong by its words scores at most 0.2, and cites none. Facts that either of the
    two cites are cited if the sum reaches `citation_log_odds`. Words that say nothing of a claim
    add 0; where the model has no score, that of the words stands.
    """
    if model.log_odds is None:
        return words
    log_odds = (words.log_odds or 0.0) + weight * model.log_odds
    log_odds = min(max(log_odds, -_MOST_LOG_ODDS), _MOST_LOG_ODDS)
    if words.is_wrong:
        log_odds = min(log_odds, WRONG)
    is_cited = log_odds >= citation_log_odds and not words.is_wrong
    cited = {*words.cited, *model.cited} if is_cited else ()
    return ClaimResult(
        log_odds, sorted(cited), words.differences, is_partly_compared=words.is_partly_compared
    )


def scored_by(weight: float) -> str:
    """Name what gives the scores with a weight of a model's log odds, from 0.

    >>> [scored_by(weight) for weight in (0, 0.5, inf)]
    ['words', 'words and 0.5 * model', 'model']
    """
    if weight == inf:
        return "model"
    return f"words and {weight:g} * model" if weight else "words"
