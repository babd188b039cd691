"""Add the log odds that a model gives to a claim to those of its words."""

from math import inf
from typing import NamedTuple

from .claim_result import WRONG, ClaimResult

_MOST_LOG_ODDS = 100.0
"""Log odds are kept within these, which are scores of 0 and 1 to any digit that is shown."""


class WeightedSum(NamedTuple):
    """How the log odds of the words and of a model are added.

    Attributes:
      weight: of the model's log odds; if it is infinite, the model's stand alone.
      words_within: those of the words count at most that much beside a model's, up or down.
      ask_below: log odds of the words from which no model is asked.
    """

    weight: float = inf
    words_within: float = inf
    ask_below: float = inf

    @property
    def is_model_alone(self) -> bool:
        """Whether the words count nothing."""
        return self.weight == inf

    def is_uncertain(self, words: ClaimResult) -> bool:
        """Return whether a model is asked about a claim."""
        return words.log_odds is None or words.log_odds < self.ask_below

    def add(self, words: ClaimResult, model: ClaimResult, citation_log_odds: float) -> ClaimResult:
        """Return a claim's result by its words and by a model.

        A claim that is wrong by its words scores at most 0.2, and cites none. Facts that either of
        the two cites are cited if the sum reaches `citation_log_odds`. Words that say nothing of a
        claim add 0; where the model has no score, that of the words stands.
        """
        if model.log_odds is None:
            return words
        within = min(self.words_within, _MOST_LOG_ODDS)
        by_words = min(max(words.log_odds or 0.0, -within), within)
        log_odds = by_words + self.weight * model.log_odds
        log_odds = min(max(log_odds, -_MOST_LOG_ODDS), _MOST_LOG_ODDS)
        if words.is_wrong:
            log_odds = min(log_odds, WRONG)
        is_cited = log_odds >= citation_log_odds and not words.is_wrong
        cited = {*words.cited, *model.cited} if is_cited else ()
        return ClaimResult(
            log_odds, sorted(cited), words.differences, is_partly_compared=words.is_partly_compared
        )


MODEL_ALONE = WeightedSum()


def scored_by(weight: float) -> str:
    """Name what gives the scores with a weight of a model's log odds, from 0.

    >>> [scored_by(weight) for weight in (0, 0.5, inf)]
    ['words', 'words and 0.5 * model', 'model']
    """
    if weight == inf:
        return "model"
    return f"words and {weight:g} * model" if weight else "words"
