"""Compare claims with large facts by an index of the words that the claims have."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import filterfalse, pairwise

from transforms.contradictions.negation import denies_anything
from transforms.contradictions.passages import Passage, Passages
from transforms.contradictions.quantities import may_count_in_words, plain_value
from transforms.contradictions.sentence import Sentence
from transforms.contradictions.sources import Sources
from transforms.contradictions.statement import form_of_spelling, spellings
from transforms.rules.cache import WantedForms, lazy_property
from transforms.rules.fact_text import max_sentences
from transforms.rules.sentences import locate_sentences

_MOST_SENTENCES = 2_048
"""Sentences of the facts that are read for one answer."""

_MOST_SENTENCES_A_CLAIM = 32

_MOST_OCCURRENCES = 128
"""Sentences that are indexed for one word; a more frequent word does not discriminate."""

_FEWEST_CHARS, _MOST_CHARS = 20, 400
"""Of a sentence. A fact with shorter sentences on average, or with a longer one, is cut at white
space instead."""

_LONG_CHARS = 2_000
"""Of a fact; a shorter fact has few sentences in any case."""

_PART = re.compile(r"\S(?s:.){0,198}(?!\S)|\S(?s:.){0,198}")
"""Up to 199 characters that end at white space, or within a word that is longer."""


class IndexedSources(Sources):
    """All facts of an answer, with an index of the words that its claims have.

    `Sources` looks for letters, also inside words. This class looks for whole words in any
    inflection, and for pairs of adjacent words instead of phrases. It compares a claim with the
    32 sentences that share most words with it, and with fewer if there are more than 64 claims.

    Args:
      facts: their texts, with their attributes as further lines.
      claims: all claims that will be compared, without references to sources.
    """

    def __init__(self, facts: tuple[str, ...], claims: Sequence[str]) -> None:
        super().__init__(facts)
        self._claims = claims
        share = _MOST_SENTENCES // max(1, len(claims))
        self._most_sentences = min(max(1, share), _MOST_SENTENCES_A_CLAIM)
        self._passages: dict[int, Passage] = {}

    def may_deny_word_of(self, lower: str) -> bool:  # noqa: ARG002 - an index of all denied words costs too much
        """Whether some fact denies anything at all."""
        return self._deny_anything

    def suspected(self, claim: Sentence) -> frozenset[str]:
        """The forms of a claim's words that some fact could deny."""
        return claim.statement.content if self._deny_anything else frozenset()

    def passages_near(self, claim: Sentence) -> Passages:
        """The sentences of the facts that have most of a claim's words."""
        return Passages(lambda: self._nearest(claim))

    def tells_number(self, value: float | str, passages: Passages) -> bool:
        """Whether any fact has a number. Of several words it is found only in the passages."""
        return value in self._values or value in passages.tallies

    def states(self, claim: str) -> bool:
        """Whether some fact has exactly this sentence."""
        return claim.strip() in self._stated

    def lacks_any(self, words: Iterable[str]) -> bool:
        """Whether some word is in no fact, in any inflection."""
        known = self._index.places
        return not all(form in known for word in words for form in map(_form, spellings(word)))

    def has_phrase(self, phrase: str) -> bool:
        """Whether the facts have all words and numbers of a phrase, each pair of them adjacent."""
        forms = list(map(_form, spellings(phrase)))
        if len(forms) == 1:
            return forms[0] in self._index.places
        return self._index.pairs.issuperset(pairwise(forms))

    def _nearest(self, claim: Sentence) -> list[Passage]:
        """Find the sentences that share most words with a claim, in order."""
        all_places = self._index.places
        found = [all_places[form] for form in sorted(claim.statement.content) if form in all_places]
        counts = Counter[int]()
        for places in filter(_is_whole, found):
            counts.update(places)
        if len(counts) < self._most_sentences:
            for places in filterfalse(_is_whole, found):
                counts.update(places)
        best = counts.most_common(self._most_sentences)
        return [self._passage(place) for place in sorted(place for place, _ in best)]

    def _passage(self, place: int) -> Passage:
        if place not in self._passages:
            number, text = self._index.sentences[place]
            self._passages[place] = Passage(Sentence(text), number)
        return self._passages[place]

    @lazy_property
    def _deny_anything(self) -> bool:
        return any(map(denies_anything, map(str.lower, self._facts)))

    @lazy_property
    def _stated(self) -> frozenset[str]:
        return frozenset(text for _, text in self._index.sentences)

    @lazy_property
    def _values(self) -> frozenset[float | str]:
        return frozenset(plain_value(form) for form in self._index.places if form[0].isdigit())

    @lazy_property
    def _index(self) -> "_Index":
        return _Index(self._facts, self._claims)


class _Index:
    """Index the words of claims in the sentences of facts.

    Attributes:
      sentences: all sentences, each with the index of its fact.
      places: the indices of the first sentences that have a form of the claims, by form.
      pairs: the adjacent forms that a fact has in common with a claim that has a number.
    """

    def __init__(self, facts: Sequence[str], claims: Sequence[str]) -> None:
        self.sentences: list[tuple[int, str]] = []
        self.places: dict[str, list[int]] = defaultdict(list)
        self.pairs: set[tuple[str, str]] = set()
        own_forms = [list(map(_form, spellings(claim))) for claim in claims]
        own_pairs = frozenset(
            pair
            for forms in own_forms
            if any(form[0].isdigit() for form in forms)
            for pair in pairwise(forms)
        )
        self._add_sentences(facts, frozenset(_sums(claims)).union(*own_forms), own_pairs)
        self.places.default_factory = None

    def _add_sentences(
        self,
        facts: Sequence[str],
        own_forms: frozenset[str],
        own_pairs: frozenset[tuple[str, str]],
    ) -> None:
        sought = WantedForms(_form, own_forms)
        paired = frozenset(first for first, _ in own_pairs)
        places = self.places
        for number, fact in enumerate(facts):
            for place, text in enumerate(_sentences(fact), len(self.sentences)):
                forms = sought.of(spellings(text))
                distinct = set(forms)
                for form in distinct:
                    if form and len(places[form]) < _MOST_OCCURRENCES:
                        places[form].append(place)
                if not paired.isdisjoint(distinct):
                    self.pairs |= own_pairs.intersection(pairwise(forms))
                self.sentences.append((number, text))


def _is_whole(places: Sequence[int]) -> bool:
    """Return whether the index has all places of a form."""
    return len(places) < _MOST_OCCURRENCES


def _form(spelling: str) -> str:
    """Return a token's form; it is the same for equal numbers."""
    form = form_of_spelling(spelling)
    return form.rstrip("0").rstrip(".") if "." in form else form


def _sums(claims: Sequence[str]) -> Iterator[str]:
    """Find numbers of several words, such as two million; yields their digits."""
    for claim in claims:
        if may_count_in_words(claim.lower()):
            for quantity in Sentence(claim).quantities:
                if isinstance(quantity.value, float) and quantity.value.is_integer():
                    yield str(int(quantity.value))


def _sentences(fact: str) -> list[str]:
    """Split a fact into sentences, or at white space if sentences are very short or long."""
    if len(fact) > _LONG_CHARS and max_sentences(fact) * _FEWEST_CHARS > len(fact):
        return _PART.findall(fact)
    texts = [text for _, text in locate_sentences(fact)]
    return texts if max(map(len, texts), default=0) <= _MOST_CHARS else _PART.findall(fact)
