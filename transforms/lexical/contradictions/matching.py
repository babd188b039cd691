"""Match the words of a claim with those of one sentence."""

from bisect import bisect_left
from itertools import pairwise
from typing import NamedTuple

from groundwatch.transforms.lexical.facts.fact_sentences import ReadSentence, stem_of
from groundwatch.transforms.lexical.language.words import TokenKind


class Matched(NamedTuple):
    """How many words of a claim a sentence has, and the first and last of them there.

    Attributes:
      words: the number of words.
      first: the index of the first among the content tokens of the sentence.
      last: that of the last.
      beside: the other content tokens between them.
    """

    words: int
    first: int
    last: int
    beside: int

    @property
    def is_compact(self) -> bool:
        """Whether the sentence says little between the words of the claim."""
        return self.beside <= self.most_beside

    @property
    def most_beside(self) -> int:
        """How many words may stand between those of the claim."""
        return max(1, self.words // 4)


def match_in_order(claim: ReadSentence, sentence: ReadSentence) -> Matched:
    """Match a claim's words with those of a sentence, in order."""
    places: list[int] = []
    for token in claim.content:
        found = sentence.places.get(stem_of(token.form), ())
        place = bisect_left(found, places[-1] + 1 if places else 0)
        if place < len(found):
            places.append(found[place])
    return _matched(places, sentence)


def match_in_any_order(claim: ReadSentence, sentence: ReadSentence) -> Matched:
    """Match a claim's distinct words with those of a sentence, in whatever order."""
    found = [sentence.places[stem][0] for stem in claim.places if stem in sentence.places]
    return _matched(found, sentence)


def _matched(places: list[int], sentence: ReadSentence) -> Matched:
    if not places:
        return Matched(0, 0, 0, 0)
    words, first, last = len(places), min(places), max(places)
    beside = last + 1 - first - words
    if beside > 1:  # A name of several words counts once.
        names = [n for n in range(first, last) if sentence.content[n].kind == TokenKind.NAME]
        others = sorted(set(names).difference(places))
        beside -= sum(two - one == 1 for one, two in pairwise(others))
    return Matched(words, first, last, beside)
