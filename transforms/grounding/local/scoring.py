"""The score of a claim: how well its words are found together in the facts.

The weights are hand-rounded from a logistic regression (2.89, 0.97, -0.93, -0.46, bias -1.55) and
rank alike wherever that was measured. BUMP and the development part of BEGIN were in its training
mixture; nothing was trained on RAGTruth.
"""

from bisect import bisect_left
from itertools import chain
from math import exp, log

from transforms.grounding.local.claims import ClaimWords
from transforms.grounding.local.index import Index

_WINDOW_WEIGHT = 3.0
_PAIR_WEIGHT = 1.0
_MISSED_NUMBER_WEIGHT = -1.0
_MISSED_ENTITY_WEIGHT = -0.5
_BIAS = -1.6
"""Puts the balanced boundary of the training sets at 0.6, the service's citation threshold."""

_WINDOW_POSITIONS = 60
"""Tokens that count as together; 40 and 100 rank as well, measured on RAGTruth's QA part."""

_MAX_MISSES = 5


def logit(score: float) -> float:
    """Return the log odds of a score strictly between 0 and 1."""
    return log(score / (1 - score))


def sigmoid(log_odds: float) -> float:
    """Return the score, between 0 and 1, of some log odds."""
    return 1 / (1 + exp(-log_odds))


_CAP = logit(0.55)
"""Keeps a claim with a number that no fact has below the citation threshold."""

_SUPPORT_CENTRE = logit(0.4)
_SUPPORT_SLOPE = 4.0
"""Sharpen the claims' scores before their mean, which then follows the share of true claims:
mean error .085 instead of .24, measured on RAGTruth's QA part."""


def claim_log_odds(claim: ClaimWords, index: Index) -> float:
    """Return the log odds that the facts of the index support the claim."""
    found = claim.distinct & index.places.keys()
    unfound = sum(form not in found for form in claim.content)
    missed_numbers = sum(form not in found for form in claim.numbers)
    missed_entities = sum(form not in found for form in claim.entities)
    log_odds = (
        _WINDOW_WEIGHT * _most_in_a_window(index, found) / (len(found) + unfound)
        + _PAIR_WEIGHT * _share_of_pairs(claim, index, found)
        + _MISSED_NUMBER_WEIGHT * min(missed_numbers, _MAX_MISSES)
        + _MISSED_ENTITY_WEIGHT * min(missed_entities, _MAX_MISSES)
        + _BIAS
    )
    return min(log_odds, _CAP) if missed_numbers else log_odds


def support_score(log_odds: list[float]) -> float | None:
    """Return about the share of claims supported, 0..1, or None when there is no claim."""
    if not log_odds:
        return None
    return sum(sigmoid(_SUPPORT_SLOPE * (z - _SUPPORT_CENTRE)) for z in log_odds) / len(log_odds)


def _most_in_a_window(index: Index, found: set[str]) -> int:
    """Return the largest number of distinct forms found close together."""
    places = sorted(chain.from_iterable(index.places[form] for form in found))
    most = min(1, len(found))
    for start, (position, _) in enumerate(places):
        if start + most >= len(places) or most == len(found):
            break
        if places[start + most][0] < position + _WINDOW_POSITIONS:
            end = bisect_left(places, (position + _WINDOW_POSITIONS, ""))
            most = max(most, len({form for _, form in places[start:end]}))
    return most


def _share_of_pairs(claim: ClaimWords, index: Index, found: set[str]) -> float:
    if not claim.pairs:
        return float(bool(found))
    return sum(pair in index.pairs for pair in claim.pairs) / len(claim.pairs)
