"""Score a claim by how close together its words are in the facts.

The weights are rounded from a logistic regression (2.89, 0.97, -0.93, -0.46, bias -1.55) and rank
as well on all measured sets. It was trained on BUMP and the development part of BEGIN, among
others; not on RAGTruth. The score is not a probability: the share of true claims at a score depends
on the answers' source.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import reduce
from itertools import chain, compress, pairwise
from math import inf
from operator import and_
from typing import NamedTuple

from groundwatch.transforms.lexical.language.cache import CachedAttribute, FactCache, WantedForms
from groundwatch.transforms.lexical.language.words import (
    NEGATION,
    VALUE,
    ClaimWords,
    Pair,
    form_of,
    read_words,
    spellings,
)
from .support_score import logit

_WINDOW_WEIGHT = 3.0
_PAIR_WEIGHT = 1.0
_MISSED_NUMBER_WEIGHT = -1.0
_MISSED_NAME_WEIGHT = -0.5
_BIAS = -1.6
"""Puts the balanced boundary of the training sets at 0.6, the service's citation threshold."""

_MAX_MISSES = 5
"""More missed numbers or names do not lower the score; from the training."""

_CAP = logit(0.55)
"""Keeps a claim with a missed number below the citation threshold."""

_NONE_MISSED = 0, 0, 0

_MAX_CANDIDATES = 8
_MIN_COVERAGE = 1 / 3
"""Facts that may be cited: so many, with this share of a claim's content words. This bounds the
time; a fact with less cannot reach the default threshold."""

_ROUNDING = 1e-9

_WINDOW_POSITIONS = 60
"""Tokens within this distance count as close; 40 and 100 rank as well on RAGTruth-QA."""

_PIECE_POSITIONS = 500
"""Without pieces, each form of a long fact would have a bit set as long as the fact."""

_OVERLAP = _WINDOW_POSITIONS - 1
_WINDOWS = [
    ((1 << _WINDOW_POSITIONS) - 1) << position for position in range(_PIECE_POSITIONS + _OVERLAP)
]
"""The windows that contain each position of a piece."""

_MAX_CACHED_CHARS = 150_000
"""Of all facts of an answer: the caches hold no more."""

_MAX_LOOKUPS = 2_000_000
"""For all claims together beside larger facts; a quarter of a second in the worst case."""


FoundCounts = tuple[int, int, int, int, int, int]
"""What facts have of a claim: its missed numbers, missed names and missed content tokens; its
distinct content forms that are found, its pairs that are found, and the forms close together."""


class FactWords:
    """The words of a fact, as far as the claims of an answer have them.

    Args:
      positions: the forms of all tokens, in order; None for one that no claim has.
      signs: what the fact may have.
      forms: the content of the claims that the fact has.
      pairs: the pairs of the claims that the fact has.
    """

    def __init__(
        self,
        positions: Sequence[str | None],
        signs: int,
        forms: frozenset[str],
        pairs: frozenset[Pair],
    ) -> None:
        self._positions = positions
        self.signs = signs
        self.forms = forms
        self.pairs = pairs

    @CachedAttribute
    def windows(self) -> tuple[dict[str | None, int], ...]:
        """For each piece of the fact, the windows that contain a form, as a bit set.

        Bit n is the window whose last token is the piece's nth. Pieces overlap, so that each
        window is complete in one piece.
        """
        starts = range(0, max(1, len(self._positions) - _OVERLAP), _PIECE_POSITIONS)
        return tuple([self._windows_of_piece(start) for start in starts])

    def most_in_window(self, found: AbstractSet[str]) -> int:
        """Return how many of some of these forms a window has, at most."""
        if len(self._positions) <= _WINDOW_POSITIONS:
            return len(found)
        pieces = [list(filter(None, map(windows.get, found))) for windows in self.windows]
        pieces.sort(key=len, reverse=True)
        most = 0
        for bit_sets in pieces:
            if len(bit_sets) <= most:
                break
            most = max(most, _max_overlap(bit_sets))
        return most

    def _windows_of_piece(self, start: int) -> dict[str | None, int]:
        windows: dict[str | None, int] = {}
        piece = self._positions[start : start + len(_WINDOWS)]
        has_form = map(self.forms.__contains__, piece)
        for form, of_position in compress(zip(piece, _WINDOWS, strict=False), has_form):
            windows[form] = windows.get(form, 0) | of_position
        return windows


class AnswerFactWords(NamedTuple):
    """The words of the facts of an answer, as far as its claims have them.

    Attributes:
      missing: the content of the claims that no fact has.
      pairs: the pairs of the claims that a fact has.
      max_lookups: about how many windows a claim may compare.
    """

    each: list[FactWords]
    missing: frozenset[str]
    pairs: frozenset[Pair]
    max_lookups: float


def read_facts(claims: Sequence[ClaimWords], texts: Sequence[str]) -> AnswerFactWords:
    """Read the words of facts, as far as some claims have them.

    Of facts that are too large for the caches only these words are read, and not all windows.
    """
    content = frozenset[str]().union(*[claim.distinct for claim in claims])
    # Intersections only keep what the claims have; sets of all words of facts take more time.
    pairs = frozenset(chain.from_iterable([claim.pairs for claim in claims]))
    facts: Iterable[tuple[Sequence[str | None], int]]
    if sum(map(len, texts)) <= _MAX_CACHED_CHARS:
        facts = ((words.forms, words.signs) for words in map(_words_of_fact, texts))
        max_lookups = inf
    else:
        wanted = WantedForms(form_of, content.union(*pairs))
        facts = ((wanted.of(spellings(text)), ~0) for text in texts)
        max_lookups = _MAX_LOOKUPS / max(1, len(claims))
    each = [
        FactWords(forms, signs, content.intersection(forms), pairs.intersection(pairwise(forms)))
        for forms, signs in facts
    ]
    return AnswerFactWords(
        each,
        missing=content.difference(*[fact.forms for fact in each]),
        pairs=frozenset[Pair]().union(*[fact.pairs for fact in each]),
        max_lookups=max_lookups,
    )


_words_of_fact = FactCache(read_words).__getitem__


class ClaimInFacts:
    """Search for the words of a claim in the facts."""

    def __init__(self, claim: ClaimWords, facts: AnswerFactWords) -> None:
        self.claim = claim
        self._facts = facts
        self._pairs = list(filter(facts.pairs.__contains__, claim.pairs))
        self._found = [claim.distinct & fact.forms for fact in facts.each]
        self._sizes = list(map(len, self._found))
        self._ranked = sorted(range(len(self._sizes)), key=self._sizes.__getitem__, reverse=True)
        self._in_window: dict[int, int] = {}

    def comparable_facts(self, share: float) -> list[int]:
        """Return the facts that a claim may contradict, best first.

        They have a share of its words beside its numbers, close together; and values as the claim
        has, or one of both negates something.
        """
        words = self.claim.distinct.difference(self.claim.numbers)
        least = share * len(words)
        in_window = self.together[-1]
        if in_window < least:
            return []
        signs, each = self.claim.signs, self._facts.each
        return [
            number
            for number in self._ranked
            if self._sizes[number] >= least
            and ((signs | each[number].signs) & NEGATION or signs & each[number].signs & VALUE)
        ]

    def log_odds(self) -> float:
        """Return the log odds that the facts support the claim."""
        return _weigh(self.claim, self.together)

    def misses_number(self) -> bool:
        """Return whether no fact has some number of the claim."""
        return self.together[0] > 0

    def coverage(self) -> float:
        """Return the share of the claim's content tokens that the facts have."""
        content, found = self.together[2:4]
        return found / (found + content)

    @CachedAttribute
    def together(self) -> FoundCounts:
        """What all facts have of the claim."""
        most = lookups = 0
        for number in self._ranked:
            size = self._sizes[number]
            if size <= most or lookups > self._facts.max_lookups:
                break
            most = max(most, self._most_in_window(number))
            lookups += size * len(self._facts.each[number].windows)
        missed = self.claim.distinct & self._facts.missing
        return self._counts(missed, len(self._pairs), most)

    def supporting(self, least: float) -> list[int]:
        """Return the facts that give the claim these log odds on their own, the likeliest first."""
        adjacent = len(self.claim.forms) - 1
        all_pairs = _PAIR_WEIGHT * (len(self._pairs) / adjacent if adjacent else 1.0)
        min_coverage = max(_MIN_COVERAGE, (least - _BIAS - all_pairs) / _WINDOW_WEIGHT)
        min_size = min_coverage * len(self.claim.distinct) - _ROUNDING
        supporting = []
        for number in self._ranked[:_MAX_CANDIDATES]:
            if self._sizes[number] < min_size:
                break
            held = sum(map(self._facts.each[number].pairs.__contains__, self._pairs))
            missed = self.claim.distinct - self._found[number]
            if (
                _weigh(self.claim, self._counts(missed, held, self._most_in_window(number)))
                >= least
            ):
                supporting.append(number)
        return supporting

    def _counts(self, missed: AbstractSet[str], pairs: int, in_window: int) -> FoundCounts:
        numbers, names, content = self.claim.count(missed) if missed else _NONE_MISSED
        return numbers, names, content, len(self.claim.distinct) - len(missed), pairs, in_window

    def _most_in_window(self, number: int) -> int:
        if number not in self._in_window:
            fact = self._facts.each[number]
            self._in_window[number] = fact.most_in_window(self._found[number])
        return self._in_window[number]


def _weigh(claim: ClaimWords, counts: FoundCounts) -> float:
    """Return the log odds that facts with these counts support a claim."""
    numbers, names, content, found, pairs, in_window = counts
    adjacent = len(claim.forms) - 1
    log_odds = (
        _PAIR_WEIGHT * (pairs / adjacent if adjacent else float(found > 0))
        + _MISSED_NUMBER_WEIGHT * min(numbers, _MAX_MISSES)
        + _MISSED_NAME_WEIGHT * min(names, _MAX_MISSES)
        + _BIAS
    )
    log_odds += _WINDOW_WEIGHT / (found + content) * in_window
    return min(_CAP, log_odds) if numbers else log_odds


def _max_overlap(bit_sets: Sequence[int]) -> int:
    """Return how many bit sets have a bit in common, at most.

    Mostly all have. Otherwise this adds the sets, all bits at once: the nth of `digits` holds the
    nth binary digit of each bit's count.
    """
    if reduce(and_, bit_sets, -1):
        return len(bit_sets)
    digits: list[int] = []
    for bits in bit_sets:
        carry = bits
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
