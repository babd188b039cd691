"""The facts of an answer, prepared to be compared with claims."""

import heapq
import re
from collections.abc import Iterable

from transforms.contradictions.numbers import may_count_in_words
from transforms.contradictions.parsed_sentence import ParsedSentence
from transforms.contradictions.passages import Difference, Passage, Sentences, passage_of
from transforms.contradictions.tokenized_text import FORM_CHARS
from transforms.rules.cache import BoundedDict, CachedAttribute, FactCache

_SENTENCE_ENDS = (".", "!", "?")
_INSIDE_NUMBERS = frozenset(".,:/")
_REST_OF_WORD = re.compile(r"(?:[^\W_]|(?<=\d)[.,:/])*")
_MAX_PHRASES = 4_096
_MAX_CACHED_CHARS = 80_000
# Facts that are parsed for one claim: those with most of its words. This bounds the time.
_MAX_FACTS = 8
_MAX_CLAIMS = 64  # enough to tag a record with what the embedded checker has just found


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

    def sentences_near(self, claim: ParsedSentence) -> Sentences:
        """Return the sentences of the facts that share most words with a claim."""
        if len(self._facts) <= _MAX_FACTS:
            return self._sentences
        shared = [sum(map(each.lower.__contains__, claim.content)) for each in self._passages]
        best = heapq.nlargest(_MAX_FACTS, range(len(shared)), key=shared.__getitem__)
        return Sentences([(number, self._passages[number]) for number in sorted(best)])

    def has_number(self, value: float | str, sentences: Sentences) -> bool:
        """Return whether a fact has a number; one of several words only if in the sentences."""
        if any(value in passage.numbers for passage in self._passages):
            return True
        return self._may_count_in_words and bool(sentences.uses_of(value))

    def has_sentence(self, claim: str) -> bool:
        """Return whether a fact contains a claim verbatim, as one or several sentences."""
        text = claim.strip()
        if text not in self._text or not text.endswith(_SENTENCE_ENDS):
            return False
        for fact in self._facts:
            before, found, behind = fact.partition(text)
            before = before.rstrip(" ")
            is_start = not before or before.endswith((*_SENTENCE_ENDS, "\n"))
            if found and is_start and not behind[:1].isalnum():
                return True
        return False

    def lacks_any(self, words: Iterable[str]) -> bool:
        """Return whether a word, in lower case, is in no fact, not even within a longer word."""
        return not all(map(self._lower_text.__contains__, words))

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
    def _text(self) -> str:
        return "\n".join(self._facts)

    @CachedAttribute
    def _passages(self) -> list[Passage]:
        return list(map(passage_of, self._facts))

    @CachedAttribute
    def _sentences(self) -> Sentences:
        return Sentences(list(enumerate(self._passages)))

    @CachedAttribute
    def _maybe_negated(self) -> frozenset[str]:
        return frozenset().union(*[passage.maybe_negated for passage in self._passages])

    @CachedAttribute
    def _long_negated(self) -> list[str]:
        return [form for form in self._maybe_negated if len(form) > FORM_CHARS]

    @CachedAttribute
    def _lower_text(self) -> str:
        return self._text.lower()

    @CachedAttribute
    def _may_count_in_words(self) -> bool:
        return may_count_in_words(self._lower_text)


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
