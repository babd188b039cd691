"""The score of a claim: how well its words are found together in the facts.

The weights are hand-rounded from a logistic regression (2.89, 0.97, -0.93, -0.46, bias -1.55) and
rank alike wherever that was measured. BUMP and the development part of BEGIN were in its training
mixture; nothing was trained on RAGTruth. The score is no probability: which share of the claims
at one score is true depends on where the answers come from. A mismatch was given the weight of a
missed number before that was measured; it came of no training.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import reduce
from operator import and_

from transforms.grounding.local.claims import ClaimWords
from transforms.grounding.local.facts import Facts
from transforms.rules.support_score import logit

_WINDOW_WEIGHT = 3.0
_PAIR_WEIGHT = 1.0
_MISSED_NUMBER_WEIGHT = -1.0
_MISSED_NAME_WEIGHT = -0.5
_MISMATCH_WEIGHT = -1.0
_BIAS = -1.6
"""Puts the balanced boundary of the training sets at 0.6, the service's citation threshold."""

_MAX_MISSES = 5
"""A claim full of unseen numbers is no worse than one with five; from the training."""

_CAP = logit(0.55)
"""Keeps a claim with a number that no fact has, or that says something otherwise than the facts,
below the citation threshold."""

_NONE_MISSED = 0, 0, 0
"""Numbers, names and words of content."""

_MAX_CANDIDATES = 8
_MIN_COVERAGE = 1 / 3
"""Which facts are looked at for a citation: so many of those that hold this share of a claim's
content words. They bound the work; a fact that holds less has no chance at the threshold."""


class ClaimInFacts:
    """A claim's words in the facts, looked for as far as anybody asks.

    Args:
      claim: the claim's words.
      facts: the facts' words.
      differs: whether the claim says anything otherwise than the facts.
    """

    def __init__(self, claim: ClaimWords, facts: Facts, *, differs: bool = False) -> None:
        self._claim = claim
        self._differs = differs
        self._facts = facts
        self._pairs = list(filter(facts.pairs.__contains__, claim.pairs))
        self._found = [claim.distinct & fact.forms for fact in facts.each]
        self._sizes = list(map(len, self._found))
        self._ranked = sorted(range(len(self._sizes)), key=self._sizes.__getitem__, reverse=True)
        self._in_window: dict[int, int] = {}

    def log_odds(self) -> float:
        """Return the log odds that the facts together support the claim."""
        most = lookups = 0
        for number in self._ranked:
            size = self._sizes[number]
            if size <= most or lookups > self._facts.most_lookups:
                break
            most = max(most, self._most_in_a_window(number))
            lookups += size * len(self._facts.each[number].windows)
        missed = self._claim.distinct - self._facts.forms
        return self._log_odds(missed, len(self._pairs), most)

    def supporting(self, least: float) -> list[int]:
        """Find the facts that by themselves support the claim, the likeliest first.

        Args:
          least: the log odds from which on a fact supports it.

        Returns:
          The facts' indices.
        """
        fewest = _MIN_COVERAGE * len(self._claim.distinct)
        return [
            number
            for number in self._ranked[:_MAX_CANDIDATES]
            if self._sizes[number] >= fewest and self._supports(number, least)
        ]

    def _supports(self, number: int, least: float) -> bool:
        found, pairs = self._found[number], self._facts.each[number].pairs
        held = sum(map(pairs.__contains__, self._pairs))
        in_window = self._most_in_a_window(number)
        return self._log_odds(self._claim.distinct - found, held, in_window) >= least

    def _log_odds(self, missed: AbstractSet[str], pairs: int, in_window: int) -> float:
        """Return the log odds that facts support the claim.

        Args:
          missed: the claim's content forms that the facts do not hold.
          pairs: how many of the claim's pairs the facts hold.
          in_window: how many of the found forms stand close together, at most.
        """
        claim = self._claim
        found = len(claim.distinct) - len(missed)
        numbers, names, content = claim.count(missed) if missed else _NONE_MISSED
        log_odds = (
            _PAIR_WEIGHT * (pairs / len(claim.pairs) if claim.pairs else float(found > 0))
            + _MISSED_NUMBER_WEIGHT * min(numbers, _MAX_MISSES)
            + _MISSED_NAME_WEIGHT * min(names, _MAX_MISSES)
            + _BIAS
        )
        log_odds += _WINDOW_WEIGHT / (found + content) * in_window
        if numbers:
            log_odds = min(_CAP, log_odds)
        return min(_CAP, log_odds + _MISMATCH_WEIGHT) if self._differs else log_odds

    def _most_in_a_window(self, number: int) -> int:
        if number not in self._in_window:
            found = self._found[number]
            pieces = [
                list(filter(None, map(windows.get, found)))
                for windows in self._facts.each[number].windows
            ]
            pieces.sort(key=len, reverse=True)
            most = 0
            for sets in pieces:
                if len(sets) <= most:
                    break
                most = max(most, _most_at_once(sets))
            self._in_window[number] = most
        return self._in_window[number]


def _most_at_once(sets: Sequence[int]) -> int:
    """Return how many of some sets of bits have a bit in common, at most.

    Mostly it is all of them. Else adds the sets up, all bits at once: the nth of `digits` holds
    the nth binary digit of each bit's count.
    """
    if reduce(and_, sets, -1):
        return len(sets)
    digits: list[int] = []
    for one_each in sets:
        carry = one_each
        for place, digit in enumerate(digits):
            digits[place], carry = digit ^ carry, digit & carry
            if not carry:
                break
        else:
            digits.append(carry)
    most, where = 0, -1
    for place in range(len(digits) - 1, -1, -1):
        if common := where & digits[place]:
            where = common
            most |= 1 << place
    return most
