"""The score of a claim: how well its words are found together in the facts.

The weights are hand-rounded from a logistic regression (2.89, 0.97, -0.93, -0.46, bias -1.55) and
rank alike wherever that was measured. BUMP and the development part of BEGIN were in its training
mixture; nothing was trained on RAGTruth. The score is no probability: which share of the claims
at one score is true depends on where the answers come from. A mismatch was given the weight of a
missed number before that was measured; it came of no training.
"""

from collections.abc import Set as AbstractSet
from itertools import chain
from math import inf

from transforms.grounding.local.claims import ClaimWords
from transforms.grounding.local.index import Index
from transforms.rules.log_odds import logit

_WINDOW_WEIGHT = 3.0
_PAIR_WEIGHT = 1.0
_MISSED_NUMBER_WEIGHT = -1.0
_MISSED_ENTITY_WEIGHT = -0.5
_MISMATCH_WEIGHT = -1.0
_BIAS = -1.6
"""Puts the balanced boundary of the training sets at 0.6, the service's citation threshold."""

_WINDOW_POSITIONS = 60
"""Tokens that count as together; 40 and 100 rank as well, measured on RAGTruth's QA part."""

_MAX_MISSES = 5
"""A claim full of unseen numbers is no worse than one with five; from the training."""


_CAP = logit(0.55)
"""Keeps a claim with a number that no fact has, or that says something otherwise than the facts,
below the citation threshold."""


def claim_log_odds(
    claim: ClaimWords, index: Index, found: AbstractSet[str], *, floor: float = -inf
) -> float:
    """Return the log odds that the facts of an index support a claim.

    Args:
      claim: the claim's words.
      index: the facts' words.
      found: the claim's content forms that the index holds.
      floor: results below it need not be exact, only below it; saves the search for a window.
    """
    missed_numbers = _missed(claim.numbers, found)
    missed_entities = _missed(claim.entities, found)
    log_odds = (
        _PAIR_WEIGHT * _share_of_pairs(claim, index, found)
        + _MISSED_NUMBER_WEIGHT * min(missed_numbers, _MAX_MISSES)
        + _MISSED_ENTITY_WEIGHT * min(missed_entities, _MAX_MISSES)
        + _BIAS
    )
    cap = _CAP if missed_numbers else inf
    window_weight = _WINDOW_WEIGHT / (len(found) + _missed(claim.content, found))
    at_most = min(cap, log_odds + window_weight * len(found))
    if at_most < floor:
        return at_most
    return min(cap, log_odds + window_weight * _most_in_a_window(index, found))


def lowered(log_odds: float) -> float:
    """Return what remains of the log odds of a claim that says what the facts tell otherwise."""
    return min(_CAP, log_odds + _MISMATCH_WEIGHT)


def _most_in_a_window(index: Index, found: AbstractSet[str]) -> int:
    """Return the largest number of distinct forms found close together."""
    latest: dict[str, int] = {}  # Each form's last position, the earliest first.
    most = 0
    for position, form in sorted(chain.from_iterable(map(index.places.__getitem__, found))):
        latest.pop(form, None)
        latest[form] = position
        if len(latest) > most:
            while latest[earliest := next(iter(latest))] <= position - _WINDOW_POSITIONS:
                del latest[earliest]
            most = max(most, len(latest))
            if most == len(found):
                break
    return most


def _share_of_pairs(claim: ClaimWords, index: Index, found: AbstractSet[str]) -> float:
    """Return the share of the claim's pairs that some fact has, or of its only token."""
    if not claim.pairs:
        return float(bool(found))
    return sum(map(index.pairs.__contains__, claim.pairs)) / len(claim.pairs)


def _missed(forms: list[str], found: AbstractSet[str]) -> int:
    """Count the forms that are not found, each as often as it occurs."""
    return len(forms) - sum(map(found.__contains__, forms)) if forms else 0
