"""Match the words of a claim with those of one sentence."""

import re
from bisect import bisect_left
from typing import NamedTuple

from groundwatch.transforms.lexical.facts.fact_sentences import ReadSentence, stem_of

_LIST_MARK = re.compile(
    r"[,\u3001\uff0c](?:\s(?:and|or|und|oder|et|ou|y|o|e)\b)?|\s(?:and|or|und|oder|et|ou|y|o|e)\s"
)
_MIN_LIST, _MAX_ITEM_WORDS = 3, 3
"""A list has so many parts, and an item at most so many words."""


class Matched(NamedTuple):
    """How many words of a claim a sentence has, and the first and last of them there.

    Attributes:
      words: the number of words.
      first: the index of the first among the content tokens of the sentence.
      last: that of the last.
      beside: the other content tokens between them that are no items of a list.
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


def match_in_order(own: ReadSentence, sentence: ReadSentence) -> Matched:
    """Match a claim's words with those of a sentence, in order."""
    places: list[int] = []
    for token in own.content:
        found = sentence.places.get(stem_of(token.form), ())
        place = bisect_left(found, places[-1] + 1 if places else 0)
        if place < len(found):
            places.append(found[place])
    return _matched(places, sentence)


def match_in_any_order(own: ReadSentence, sentence: ReadSentence) -> Matched:
    """Match a claim's distinct words with those of a sentence, in whatever order."""
    found = [sentence.places[stem][0] for stem in own.places if stem in sentence.places]
    return _matched(found, sentence)


def _matched(places: list[int], sentence: ReadSentence) -> Matched:
    if not places:
        return Matched(0, 0, 0, 0)
    words, first, last = len(places), min(places), max(places)
    matched = Matched(words, first, last, beside=last + 1 - first - words)
    if matched.is_compact:
        return matched
    listed = _listed(sentence, first, last, frozenset(places))
    return matched._replace(beside=matched.beside - listed)


def _listed(sentence: ReadSentence, first: int, last: int, matched: frozenset[int]) -> int:
    """Count the words in other items of the list in which a word was matched."""
    items: list[list[int]] = [[]]
    content, end = sentence.content, None
    for number in range(first, last + 1):
        token = content[number]
        if end is not None and _LIST_MARK.search(sentence.text, end, token.start + 1):
            items.append([])
        items[-1].append(number)
        end = token.end
    if len(items) < _MIN_LIST:
        return 0
    others = [item for item in items if matched.isdisjoint(item)]
    return sum(len(item) for item in others if len(item) <= _MAX_ITEM_WORDS)
