"""Compare claims with large facts by an index of the words of the claims."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise

from transforms.contradictions.compared_facts import ComparedFacts
from transforms.contradictions.numbers import may_count_in_words, plain_value
from transforms.contradictions.parsed_sentence import ParsedSentence, has_negation
from transforms.contradictions.passages import Passage, Sentences
from transforms.contradictions.tokenized_text import form_of_spelling, spellings
from transforms.rules.cache import CachedAttribute, WantedForms
from transforms.rules.fact_text import max_sentences
from transforms.rules.sentences import locate_sentences

_MAX_SENTENCES = 2_048  # sentences of the facts that are parsed for one answer
_MAX_SENTENCES_PER_CLAIM = 32
# Sentences that are indexed for one word; a more frequent word does not discriminate.
_MAX_OCCURRENCES = 128

# Of a sentence. A fact with shorter sentences on average, or with a longer one, is split at white
# space instead.
_MIN_CHARS, _MAX_CHARS = 20, 400
_LONG_CHARS = 2_000  # shorter facts have few sentences in any case
# Up to 199 characters that end at white space, or within a word that is longer.
_PART = re.compile(r"\S(?s:.){0,198}(?!\S)|\S(?s:.){0,198}")


class IndexedFacts(ComparedFacts):
    """All facts of an answer, with an index of the words of its claims.

    It searches for whole words in any inflection, and for pairs of adjacent words instead of
    phrases. It compares a claim with at most 32 sentences, which share most words with it.
    """

    def __init__(self, facts: tuple[str, ...], claims: Sequence[str]) -> None:
        super().__init__(facts)
        self._claims = claims
        share = _MAX_SENTENCES // max(1, len(claims))
        self._max_sentences = min(max(1, share), _MAX_SENTENCES_PER_CLAIM)
        self._passages_at: dict[int, tuple[int, Passage]] = {}

    def may_negate_word_of(self, lower: str) -> bool:  # noqa: ARG002 - an index of all negated words is too slow
        """Return whether a fact negates anything."""
        return self._has_negation

    def maybe_negated(self, claim: ParsedSentence) -> frozenset[str]:
        """Return the forms of a claim's words if a fact negates anything."""
        return claim.content if self._has_negation else frozenset()

    def sentences_near(self, claim: ParsedSentence) -> Sentences:
        """Return the sentences of the facts that share most words with a claim."""
        return Sentences(list(map(self._passage, sorted(self._places_near(claim)))))

    def has_number(self, value: float | str, sentences: Sentences) -> bool:
        """Return whether a fact has a number; one of several words only if in the sentences."""
        return value in self._values or bool(sentences.uses_of(value))

    def has_sentence(self, claim: str) -> bool:
        """Return whether a fact contains exactly this sentence."""
        return claim.strip() in self._sentence_texts

    def lacks_any(self, words: Iterable[str]) -> bool:
        """Return whether a word is in no fact, in any inflection."""
        known = self._index.places
        return not all(form in known for word in words for form in map(_form, spellings(word)))

    def has_phrase(self, phrase: str) -> bool:
        """Return whether the facts have all pairs of adjacent words and numbers of a phrase."""
        forms = list(map(_form, spellings(phrase)))
        if len(forms) == 1:
            return forms[0] in self._index.places
        return self._index.pairs.issuperset(pairwise(forms))

    def _places_near(self, claim: ParsedSentence) -> list[int]:
        known = self._index.places
        found = [known[form] for form in sorted(claim.content) if form in known]
        # The index does not have all places of a frequent form.
        complete = [places for places in found if len(places) < _MAX_OCCURRENCES]
        counts = Counter(chain.from_iterable(complete))
        if len(counts) < self._max_sentences:
            counts.update(chain(*(places for places in found if len(places) >= _MAX_OCCURRENCES)))
        return [place for place, _ in counts.most_common(self._max_sentences)]

    def _passage(self, place: int) -> tuple[int, Passage]:
        number, text = self._index.sentences[place]
        return self._passages_at.setdefault(place, (number, Passage(text, is_sentence=True)))

    @CachedAttribute
    def _has_negation(self) -> bool:
        return any(map(has_negation, map(str.lower, self._facts)))

    @CachedAttribute
    def _sentence_texts(self) -> frozenset[str]:
        return frozenset(text for _, text in self._index.sentences)

    @CachedAttribute
    def _values(self) -> frozenset[float | str]:
        return frozenset(plain_value(form) for form in self._index.places if form[0].isdigit())

    @CachedAttribute
    def _index(self) -> "_Index":
        return _Index(self._facts, self._claims)


class _Index:
    """An index of the words of claims in the sentences of facts.

    `places` are by form the indices of its first sentences, `pairs` the adjacent forms that a fact
    has in common with a claim that has a number.
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
        paired = frozenset(first for first, _ in own_pairs)
        wanted = WantedForms(_form, frozenset(_sums(claims)).union(*own_forms))
        for number, fact in enumerate(facts):
            for text in _sentences(fact):
                forms = wanted.of(spellings(text))
                distinct = set(forms)
                for form in distinct:
                    if form and len(self.places[form]) < _MAX_OCCURRENCES:
                        self.places[form].append(len(self.sentences))
                if not paired.isdisjoint(distinct):
                    self.pairs |= own_pairs.intersection(pairwise(forms))
                self.sentences.append((number, text))
        self.places.default_factory = None


def _form(spelling: str) -> str:
    """Return a token's form; it is the same for equal numbers."""
    form = form_of_spelling(spelling)
    return form.rstrip("0").rstrip(".") if "." in form else form


def _sums(claims: Sequence[str]) -> Iterator[str]:
    """Yield the digits of numbers of several words, such as two million."""
    for claim in claims:
        if may_count_in_words(claim.lower()):
            for quantity in ParsedSentence(claim).quantities:
                if isinstance(quantity.value, float) and quantity.value.is_integer():
                    yield str(int(quantity.value))


def _sentences(fact: str) -> list[str]:
    """Split a fact into sentences, or at white space if sentences are very short or long."""
    if len(fact) > _LONG_CHARS and max_sentences(fact) * _MIN_CHARS > len(fact):
        return _PART.findall(fact)
    texts = [text for _, text in locate_sentences(fact)]
    return texts if max(map(len, texts), default=0) <= _MAX_CHARS else _PART.findall(fact)
