"""The facts of an answer, prepared to be compared with claims."""

import heapq
import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from schemas.verdict import ContradictionKind
from transforms.contradictions.numbers import (
    Quantity,
    Unit,
    may_count,
    may_count_in_words,
    plain_numbers,
)
from transforms.contradictions.parsed_sentence import ParsedSentence, words_behind_negations
from transforms.contradictions.tokenized_text import FORM_CHARS
from transforms.rules.cache import BoundedDict, CachedAttribute, FactCache
from transforms.rules.sentences import locate_sentences

_SENTENCE_ENDS = (".", "!", "?")
_INSIDE_NUMBERS = frozenset(".,:/")
_REST_OF_WORD = re.compile(r"(?:[^\W_]|(?<=\d)[.,:/])*")
_MAX_PHRASES = 4_096
_MAX_CACHED_CHARS = 80_000
_MAX_SEARCHED_CHARS = 20_000
_MAX_CLAIMS = 64  # enough to tag a record with what the embedded checker has just found

# Facts that are parsed for one claim: those with most of its words. The others are only searched
# for words and numbers, which bounds the time.
_MAX_FACTS = 8
_MIN_SHARE = 0.5  # a sentence with this share of a claim's content words is about the same topic
# Sentences that are parsed to find the nearest one: many may share equally many words.
_MAX_PARSED = 64

NumberUses = dict[tuple[Unit | None, str | None], tuple[int, Quantity]]
"""By the unit of a number, or else by what it counts: the first such quantity and its sentence."""


class FactSentence(NamedTuple):
    """A sentence of a fact, and the index of the fact."""

    sentence: ParsedSentence
    fact: int


class Passages:
    """The sentences of some facts; `read`, called at the first use, returns them in order."""

    def __init__(self, read: Callable[[], list[FactSentence]]) -> None:
        self._read = read
        self._uses: dict[float | str, NumberUses] = {}

    @CachedAttribute
    def all(self) -> list[FactSentence]:
        """The sentences, in order."""
        return self._read()

    @CachedAttribute
    def negating(self) -> list[FactSentence]:
        """The sentences that negate a word."""
        return [each for each in self.all if each.sentence.negated]

    def uses_of(self, value: float | str) -> NumberUses:
        """Return what a number counts in the sentences, and where first."""
        if value not in self._uses:
            uses: NumberUses = {}
            self._uses[value] = uses
            for place, (sentence, _) in enumerate(self.all):
                may_have = value in sentence.values or None in sentence.values
                for quantity in sentence.quantities if may_have else ():
                    if quantity.value == value:
                        use = quantity.unit, None if quantity.unit else quantity.counted
                        uses.setdefault(use, (place, quantity))
        return self._uses[value]

    def nearest(self, claim: ParsedSentence) -> FactSentence | None:
        """Return the first sentence with most, and at least half, of a claim's content words."""
        # A search for the forms as substrings finds at least all of them, in a tenth of the time.
        upper_bounds = [
            sum(map(sentence.lower.__contains__, claim.content)) for sentence, _ in self.all
        ]
        ranked = sorted(range(len(upper_bounds)), key=upper_bounds.__getitem__, reverse=True)
        best, most = None, max(1, math.ceil(_MIN_SHARE * len(claim.content))) - 1
        for place in ranked[:_MAX_PARSED]:
            if upper_bounds[place] <= most:
                break
            shared = len(claim.content & self.all[place].sentence.content)
            if shared > most:
                best, most = self.all[place], shared
        return best


class Difference(NamedTuple):
    """A contradiction between a claim and a fact; the values are None if no fact has one."""

    kind: ContradictionKind
    claim_value: str
    fact_value: str | None = None
    fact: int | None = None


class ComparedFacts:
    """All facts of an answer, rendered; `differences` caches the contradictions by claim."""

    def __init__(self, facts: tuple[str, ...]) -> None:
        self._facts = facts
        self.differences = BoundedDict[str, tuple[Difference, ...]](_MAX_CLAIMS)
        self._phrases = BoundedDict[str, bool](_MAX_PHRASES)

    def may_negate_word_of(self, lower: str) -> bool:
        """Return whether a fact may negate a word of a claim, given in lower case."""
        if len(self._maybe_negated) <= 10 * len(lower):
            return any(map(lower.__contains__, self._maybe_negated))
        # Forms of words have few characters; longer forms are numbers.
        parts = (
            lower[start : start + chars]
            for chars in range(1, FORM_CHARS + 1)
            for start in range(len(lower))
        )
        return any(map(self._maybe_negated.__contains__, parts)) or any(
            map(lower.__contains__, self._long_negated)
        )

    def maybe_negated(self, claim: ParsedSentence) -> frozenset[str]:
        """Return the forms of a claim's words that a fact may negate."""
        forms = self._maybe_negated
        return forms & claim.content if forms else forms

    def passages_near(self, claim: ParsedSentence) -> Passages:
        """Return the sentences of the facts that share most words with a claim."""
        if len(self._facts) <= _MAX_FACTS:
            return self._all_passages
        shared = [sum(map(fact.__contains__, claim.content)) for fact in self._lower_facts]
        best = heapq.nlargest(_MAX_FACTS, range(len(shared)), key=shared.__getitem__)
        return passages_of([(number, self._facts[number]) for number in sorted(best)])

    def has_number(self, value: float | str, passages: Passages) -> bool:
        """Return whether a fact has a number; one of several words only if in the passages."""
        if value in self._plain_numbers:
            return True
        return self._may_count_in_words and bool(passages.uses_of(value))

    def has_sentence(self, claim: str) -> bool:
        """Return whether a fact contains a claim verbatim, as one or several sentences."""
        text = claim.strip()
        for fact in self._facts if text.endswith(_SENTENCE_ENDS) else ():
            before, found, behind = fact.partition(text)
            before = before.rstrip(" ")
            is_start = not before or before.endswith((*_SENTENCE_ENDS, "\n"))
            if found and is_start and not behind[:1].isalnum():
                return True
        return False

    def lacks_any(self, words: Iterable[str]) -> bool:
        """Return whether a word, in lower case, is in no fact, not even within a longer word."""
        return not all(map(self._lower_text.__contains__, words))

    def may_share(self, forms: Collection[str], share: float) -> bool:
        """Return whether one fact may have a share of some words; a fast test."""
        # In ASCII, the form of a word is a part of it. A number has forms of several spellings.
        if len(self._lower_text) > _MAX_SEARCHED_CHARS or not self._lower_text.isascii():
            return True
        words = [form for form in forms if not form[0].isdigit()]
        least = share * len(forms) - (len(forms) - len(words))
        return any(sum(map(fact.__contains__, words)) >= least for fact in self._lower_facts)

    def has_phrase(self, phrase: str) -> bool:
        """Return whether the facts have a phrase, in lower case, as whole words and numbers."""
        cached = self._phrases
        if phrase not in cached:
            text = self._lower_text
            place = text.find(phrase)
            while place >= 0 and not _is_whole(text, place, place + len(phrase)):
                # A whole phrase begins where a word or a number begins.
                rest = _REST_OF_WORD.match(text, place)
                place = text.find(phrase, max(place + 1, rest.end() if rest else place))
            cached.put(phrase, place >= 0)
        return cached[phrase]

    @CachedAttribute
    def _maybe_negated(self) -> frozenset[str]:
        return frozenset().union(*map(_words_behind_negations, self._lower_facts))

    @CachedAttribute
    def _long_negated(self) -> list[str]:
        return [form for form in self._maybe_negated if len(form) > FORM_CHARS]

    @CachedAttribute
    def _lower_facts(self) -> tuple[str, ...]:
        return tuple(map(str.lower, self._facts))

    @CachedAttribute
    def _lower_text(self) -> str:
        return "\n".join(self._lower_facts)

    @CachedAttribute
    def _may_count_in_words(self) -> bool:
        return may_count_in_words(self._lower_text)

    @CachedAttribute
    def _all_passages(self) -> Passages:
        return passages_of(tuple(enumerate(self._facts)))

    @CachedAttribute
    def _plain_numbers(self) -> frozenset[float | str]:
        if not may_count(self._lower_text):
            return frozenset()
        return frozenset().union(*map(_plain_numbers, self._lower_facts))


def passages_of(facts: Sequence[tuple[int, str]]) -> Passages:
    """Return the sentences of facts, each given with its index."""
    return Passages(
        lambda: [
            FactSentence(each, number) for number, fact in facts for each in sentences_of(fact)
        ]
    )


sentences_of = FactCache[str, tuple[ParsedSentence, ...]](
    lambda fact: tuple(ParsedSentence(text) for _, text in locate_sentences(fact))
).__getitem__
"""Return the parsed sentences of a fact."""

_words_behind_negations = FactCache(words_behind_negations).__getitem__
_plain_numbers = FactCache(plain_numbers).__getitem__
compared_facts = FactCache(ComparedFacts, _MAX_CACHED_CHARS).__getitem__
"""Return the facts of an answer, given as texts with their attributes as further lines."""


def _is_whole(text: str, start: int, end: int) -> bool:
    """Return whether no word or number continues across the ends of a span."""
    before, behind = text[max(0, start - 2) : start], text[end : end + 2]
    return not (
        before[-1:].isalnum()
        or behind[:1].isalnum()
        or (before[-1:] in _INSIDE_NUMBERS and before[:1].isdigit())
        or (behind[:1] in _INSIDE_NUMBERS and behind[1:].isdigit())
    )
