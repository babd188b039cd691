"""The facts that claims are compared with."""

import heapq
import re
from collections.abc import Iterable

from transforms.contradictions.difference import Difference
from transforms.contradictions.negation import words_behind_denials
from transforms.contradictions.passages import Passages, passages_of
from transforms.contradictions.quantities import may_count, may_count_in_words, plain_numbers
from transforms.contradictions.sentence import Sentence
from transforms.contradictions.statement import FORM_CHARS
from transforms.rules.cache import BoundedDict, FactCache, lazy_property

_ENDS = (".", "!", "?")
_INSIDE_NUMBERS = frozenset(".,:/")
_REST_OF_WORD = re.compile(r"(?:[^\W_]|(?<=\d)[.,:/])*")
_OFTEN = 8
_REMEMBERED_PHRASES = 4_096
_REMEMBERED_CHARS = 80_000
_REMEMBERED_CLAIMS = 64
"""Enough to know a record's mismatches where the embedded checker has just looked for them."""

_MOST_FACTS = 8
"""So many facts are read for one claim: those that have most of its words. Of the others only
letters and numbers are looked at, which bounds the work."""


class Sources:
    """All facts of an answer; get one from `sources_of`.

    Args:
      facts: their texts, with their attributes as further lines.

    Attributes:
      differences: what claims were found to say otherwise, for whoever asks again.
    """

    def __init__(self, facts: tuple[str, ...]) -> None:
        self._facts = facts
        self.differences = BoundedDict[str, tuple[Difference, ...]](_REMEMBERED_CLAIMS)
        self._often = BoundedDict[str, bool](_REMEMBERED_PHRASES)

    @lazy_property
    def lower_text(self) -> str:
        """All facts, in lower case."""
        return "\n".join(self._lower_facts)

    def may_deny_word_of(self, lower: str) -> bool:
        """Whether some fact could deny a word of a claim, which is given in lower case."""
        if len(self._may_be_denied) <= 10 * len(lower):
            return any(map(lower.__contains__, self._may_be_denied))
        # Forms of words have few characters; longer ones are numbers.
        parts = (
            lower[start : start + chars]
            for chars in range(1, FORM_CHARS + 1)
            for start in range(len(lower))
        )
        return any(map(self._may_be_denied.__contains__, parts)) or any(
            map(lower.__contains__, self._long_denied)
        )

    def suspected(self, claim: Sentence) -> frozenset[str]:
        """The forms of a claim's words that some fact could deny."""
        forms = self._may_be_denied
        return forms & claim.statement.content if forms else forms

    def passages_near(self, claim: Sentence) -> Passages:
        """The sentences of the facts that have most of a claim's words."""
        if len(self._facts) <= _MOST_FACTS:
            return self._all_passages
        content = claim.statement.content
        shared = [sum(map(fact.__contains__, content)) for fact in self._lower_facts]
        best = heapq.nlargest(_MOST_FACTS, range(len(shared)), key=shared.__getitem__)
        return passages_of([(number, self._facts[number]) for number in sorted(best)])

    def tells_number(self, value: float | str, passages: Passages) -> bool:
        """Whether any fact has a number; one of several words only where it is read."""
        if value in self._plain_numbers:
            return True
        return may_count_in_words(self.lower_text) and value in passages.tallies

    def states(self, claim: str) -> bool:
        """Whether a claim stands in some fact word for word, as a sentence or several."""
        stated = claim.strip()
        return stated.endswith(_ENDS) and any(_is_sentence(stated, fact) for fact in self._facts)

    def lacks_any(self, words: Iterable[str]) -> bool:
        """Whether the letters of some word, in lower case, stand nowhere in the facts."""
        return not all(map(self.lower_text.__contains__, words))

    def has_phrase(self, phrase: str) -> bool:
        """Whether the facts' lower case has a phrase that is no part of a longer word or number."""
        text = self.lower_text
        place, looked = text.find(phrase), 0
        while place >= 0 and not _is_whole(text, place, place + len(phrase)):
            looked += 1
            if looked == _OFTEN:
                return self._has_whole(phrase, place)
            place = text.find(phrase, place + 1)
        return place >= 0

    def _has_whole(self, phrase: str, place: int) -> bool:
        """Go on looking for a phrase that mostly is a part of longer words, and remember it."""
        text, known = self.lower_text, self._often
        if phrase not in known:
            while place >= 0 and not _is_whole(text, place, place + len(phrase)):
                # It can be whole only where a word or a number begins.
                place = text.find(phrase, max(place + 1, _end_of_word(text, place)))
            known.put(phrase, place >= 0)
        return known[phrase]

    @lazy_property
    def _may_be_denied(self) -> frozenset[str]:
        """The forms of all words that some fact could deny."""
        return frozenset().union(*map(_WORDS_BEHIND_DENIALS.__getitem__, self._lower_facts))

    @lazy_property
    def _long_denied(self) -> list[str]:
        return [form for form in self._may_be_denied if len(form) > FORM_CHARS]

    @lazy_property
    def _lower_facts(self) -> tuple[str, ...]:
        return tuple(map(str.lower, self._facts))

    @lazy_property
    def _all_passages(self) -> Passages:
        return passages_of(tuple(enumerate(self._facts)))

    @lazy_property
    def _plain_numbers(self) -> frozenset[float | str]:
        if not may_count(self.lower_text):
            return frozenset()
        return frozenset().union(*map(_PLAIN_NUMBERS.__getitem__, self._lower_facts))


_WORDS_BEHIND_DENIALS = FactCache(words_behind_denials)
_PLAIN_NUMBERS = FactCache(plain_numbers)
_SOURCES = FactCache(Sources, _REMEMBERED_CHARS)


def sources_of(facts: tuple[str, ...]) -> Sources:
    """The facts of an answer, with what was read of them before.

    Args:
      facts: their texts, with their attributes as further lines.
    """
    return _SOURCES[facts]


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether neither a word nor a number goes on across the ends of a stretch."""
    before, behind = text[max(0, start - 2) : start], text[end : end + 2]
    return not (
        before[-1:].isalnum()
        or behind[:1].isalnum()
        or (before[-1:] in _INSIDE_NUMBERS and before[:1].isdigit())
        or (behind[:1] in _INSIDE_NUMBERS and behind[1:].isdigit())
    )


def _end_of_word(text: str, place: int) -> int:
    """Return where the rest of a word or number that begins at a place ends."""
    rest = _REST_OF_WORD.match(text, place)
    return rest.end() if rest else place


def _is_sentence(text: str, fact: str) -> bool:
    """Whether a text stands in a fact behind the end of a sentence, or at the beginning."""
    start = fact.find(text)
    before, behind = fact[:start].rstrip(" "), fact[start + len(text) : start + len(text) + 1]
    return start >= 0 and (not before or before.endswith((*_ENDS, "\n"))) and not behind.isalnum()
