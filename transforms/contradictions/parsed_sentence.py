"""Parse a sentence: dates, numbers, names and negations, each at its first use."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from schemas import Record
from transforms.contradictions.antonyms import ANTONYMS
from transforms.contradictions.dates import (
    CALENDAR_NAMES,
    Date,
    may_name_year,
    names_month,
    read_dates,
)
from transforms.contradictions.numbers import Quantity, may_count, read_quantities, read_values
from transforms.contradictions.other_negations import (
    may_negate,
    negates_in_spanish,
    negation_spans,
    other_denials,
)
from transforms.contradictions.tokenized_text import (
    CARDINALS,
    MARKS,
    Token,
    TokenizedText,
    content_of,
    first_content,
)
from transforms.rules.cache import CachedAttribute, WordCache
from transforms.rules.phrases import (
    OTHER_PREFIXES,
    PREFIX_CHARS,
    may_be_other,
    may_name_other_source,
    may_name_source,
    may_refuse,
    may_refuse_otherwise,
)

NUMBER, MONTH, NEGATION, CAPITAL, SOURCE, REFUSAL, DENIAL, OPPOSITE = (1 << bit for bit in range(8))
"""One bit for each kind of content."""

_MAX_DATES = _MAX_NAMES = _MAX_NEGATED = 64  # per sentence; one with more is a list
_LIKE_NAME = re.compile(r"[^\W\d_a-z][^\W\d_]+")
_BEGINNING_MARKS = frozenset('.:!?"\u201c(')
# These negate what follows; "no" and "without" often only qualify it.
_NEGATIONS = frozenset({"not", "never", "cannot"})
# The ends of the same words in lower case; a fixed first letter makes the search fast.
_NEGATION = re.compile(r"n(?:(?<!\wn)ot|(?<=cann)ot|(?<!\wn)ever|['\u2019]t)\b")
_DENIALS = (
    *("not", "never", "cannot", "no", "nor", "none", "neither", "without", "unable", "hardly"),
    *("rarely", "fail", "fails", "failed", "lack", "lacks", "lacked", "lacking", "only", "instead"),
    *("unless", "except"),
)
# None of these contains white space, so that a text has one if a word has one.
_DENIAL = re.compile(rf"\b(?:{'|'.join(_DENIALS)})\b|n['\u2019]t\b|\b(?:non|un)-")
# Most words begin like none of those that matter here, which are not looked for then.
_PREFIXES = OTHER_PREFIXES | {
    word[:PREFIX_CHARS].lower() for word in (*ANTONYMS, *CARDINALS, *_DENIALS, *CALENDAR_NAMES)
}
# A negation next to one of these has no effect: not only, not all, if not.
_QUALIFIERS = frozenset(
    {
        *("all", "every", "only", "just", "always", "necessarily", "if", "whether"),
        *("nur", "seulement", "solo", "sólo", "solamente", "só", "apenas", "soltanto"),
    }
)
# The distance in tokens between a negation and the negated word, and the context of a name, such as
# directed by the great Alan Turing.
_NEAR = 4
_MAX_CHARS = 60


class Name(NamedTuple):
    """A sequence of words with capitals, and the content words (forms) before and behind it."""

    text: str
    tokens: tuple[Token, ...]
    around: tuple[str | None, str | None]

    def is_like(self, other: "Name") -> bool:
        """Return whether the names share a word, or the word before or behind them."""
        beside = zip(self.around, other.around, strict=True)
        forms = {token.form for token in self.tokens}
        return any(own is not None and own == its for own, its in beside) or any(
            token.form in forms for token in other.tokens
        )


def name_at_start(word: str) -> str:
    """Return the letters at the start of a word that may be a name; empty if there are none."""
    found = _LIKE_NAME.match(word)
    return found[0] if found else ""


def read_names(sentence: TokenizedText) -> Iterator[Name]:
    """Yield the names of a sentence, except at its start and behind a colon."""
    tokens, first = sentence.tokens, None
    for place, token in enumerate(tokens):
        is_capital = token.text[0].isupper() and len(token.text) > 1
        is_name = is_capital and token.is_content and token.text not in CALENDAR_NAMES
        if first is not None and (not is_name or sentence.breaks_between(tokens[place - 1], token)):
            yield _name(sentence, first, place)
            first = None
        if first is None and is_name and place:
            # The capital at the start of a sentence or quotation means nothing.
            gap = sentence.text[tokens[place - 1].end : token.start]
            first = place if _BEGINNING_MARKS.isdisjoint(gap) else None
    if first is not None:
        yield _name(sentence, first, len(tokens))


def _name(sentence: TokenizedText, first: int, behind: int) -> Name:
    tokens = sentence.tokens
    before = (t.form for t in reversed(tokens[max(0, first - _NEAR) : first]) if t.is_content)
    after = (t.form for t in tokens[behind : behind + _NEAR] if t.is_content)
    return Name(
        text=sentence.between(tokens[first], tokens[behind - 1]),
        tokens=tuple(tokens[first:behind]),
        around=(next(before, None), next(after, None)),
    )


def has_negation(lower: str) -> bool:
    """Return whether a text in lower case contains a word that negates what follows."""
    return _negates_in_english(lower) or bool(negation_spans(lower))


def _negates_in_english(lower: str) -> bool:
    return _may_negate_next(lower) and _NEGATION.search(lower) is not None


def denials_in(lower: str) -> frozenset[str]:
    """Return the words of a text in lower case by which it could negate something."""
    return other_denials(lower).union(_DENIAL.findall(lower))


def _may_negate_next(lower: str) -> bool:
    # Ten times as fast as the expression.
    return "not" in lower or "n't" in lower or "never" in lower or "n\u2019t" in lower


def words_behind_negations(lower: str) -> frozenset[str]:
    """Return the forms of the words that a text of any length, in lower case, may negate."""
    ends = [end for _, end in negation_spans(lower)]
    if _may_negate_next(lower):
        ends += [found.end() for found in _NEGATION.finditer(lower)]
    return frozenset(
        form for end in ends if (form := first_content(lower[end : end + _MAX_CHARS], _NEAR))
    )


def read_negated(sentence: TokenizedText) -> dict[str, str]:
    """Return the first 64 negated words: by form, the text from the negation to the word."""
    negated: dict[str, str] = {}
    tokens = sentence.tokens
    for place, token in enumerate(tokens):
        if token.lower not in _NEGATIONS and not token.lower.endswith("n't"):
            continue
        around = tokens[max(0, place - _NEAR) : place + 2]
        word = _first_content(tokens[place + 1 : place + 1 + _NEAR])
        if word is None or any(near.lower in _QUALIFIERS for near in around):
            continue
        if not sentence.breaks_between(token, word):
            negated.setdefault(word.form, sentence.between(token, word))
            if len(negated) == _MAX_NEGATED:
                break
    return negated or dict(islice(_read_otherwise_negated(sentence), _MAX_NEGATED))


def _read_otherwise_negated(sentence: TokenizedText) -> Iterator[tuple[str, str]]:
    """Read the words that another language than English negates, which may be in front."""
    text, tokens = sentence.text, sentence.tokens
    for start, end in negation_spans(text.lower()):
        before = [token for token in tokens if token.end <= start][-_NEAR:]
        behind = [token for token in tokens if token.start >= end][:_NEAR]
        if any(near.lower in _QUALIFIERS for near in (*before[-1:], *behind)):
            continue
        word = _first_content(behind)
        if word is None or sentence.breaks_within(end, word.start):
            word = _first_content(before[::-1])
        if word:
            yield word.form, text[min(start, word.start) : max(end, word.end)]


def _first_content(tokens: Sequence[Token]) -> Token | None:
    return next((token for token in tokens[:_NEAR] if token.is_content), None)


WordFeatures = tuple[int, str]
"""The bits of a word, and the name in it in lower case, which may be empty."""


class Features(Record, frozen=True):
    """What a text may contain: kinds, as bits, and names, in lower case; some are empty."""

    kinds: int
    capitals: list[str]


def read_features(text: str) -> Features:
    """Return what a text may contain."""
    return join_features(text, list(map(features_of_word, text.split())))


def join_features(text: str, of_words: Sequence[WordFeatures | None]) -> Features:
    """Return what a text with words of these features may contain."""
    kinds, capitals = 0, []
    first, *others = of_words or [None]
    if first:
        kinds = first[0]
        # The capital at the start of a text does not mark a name.
        if text[0].isspace():
            capitals.append(first[1])
    for its_kinds, capital in filter(None, others):
        kinds |= its_kinds
        if capital:
            capitals.append(capital)
    if kinds & DENIAL and negates_in_spanish(text.lower()):
        kinds |= NEGATION
    return Features(kinds, capitals)


def _read_word(word: str) -> WordFeatures | None:
    lower, name = word.lower(), name_at_start(word)
    kinds = CAPITAL * bool(name) | SOURCE * may_name_source(lower) | REFUSAL * may_refuse(lower)
    bare = lower.strip(MARKS)
    if bare.isdecimal():
        kinds |= NUMBER
    elif bare[:PREFIX_CHARS] in _PREFIXES or not (bare.isascii() and bare.isalpha()):
        negates = _negates_in_english(bare)
        kinds |= (
            NUMBER * may_count(bare)
            | MONTH * names_month(word.strip(MARKS))
            | NEGATION * negates
            | DENIAL * (negates or _DENIAL.search(bare) is not None)
            | OPPOSITE * (not ANTONYMS.keys().isdisjoint(content_of(word)))
        )
        if may_be_other(bare):
            kinds |= (
                (NEGATION | DENIAL) * may_negate(bare)
                | SOURCE * may_name_other_source(bare)
                | REFUSAL * may_refuse_otherwise(lower)
            )
    return (kinds, name.lower()) if kinds else None


features_of_word = WordCache(_read_word).__getitem__
"""Return the features of a word without white space; None, as of most words, if it has none."""


class ParsedSentence(TokenizedText):
    """A sentence, and what can be compared in it."""

    def __init__(self, text: str, features: Features | None = None) -> None:
        super().__init__(text)
        if features:
            self.features = features

    @CachedAttribute
    def features(self) -> Features:
        """What it may contain."""
        return read_features(self.text)

    @CachedAttribute
    def lower(self) -> str:
        """The sentence in lower case."""
        return self.text.lower()

    @CachedAttribute
    def dates(self) -> list[Date]:
        """The dates."""
        return self._dates_and_places[0]

    @CachedAttribute
    def quantities(self) -> list[Quantity]:
        """The numbers that belong to no date."""
        if not self.features.kinds & NUMBER:
            return []
        return read_quantities(self, self._dates_and_places[1])

    @CachedAttribute
    def values(self) -> frozenset[float | str | None]:
        """The values of the numbers, and None for a part of a number of several words."""
        return read_values(self.text)

    @CachedAttribute
    def names(self) -> list[Name]:
        """The names."""
        return list(islice(read_names(self), _MAX_NAMES))

    @CachedAttribute
    def negated(self) -> dict[str, str]:
        """The negated words: by form, the text from the negation to the word."""
        return read_negated(self) if has_negation(self.lower) else {}

    @property
    def may_negate(self) -> bool:
        """Whether it has any word by which it could negate something."""
        return bool(self.features.kinds & DENIAL)

    def spelling(self, form: str) -> str | None:
        """Return the spelling of a word, None if it does not contain the word."""
        return next((token.text for token in self.tokens if token.form == form), None)

    @CachedAttribute
    def _dates_and_places(self) -> tuple[list[Date], set[int]]:
        kinds = self.features.kinds
        if kinds & MONTH or (kinds & NUMBER and may_name_year(self.text)):
            dates, places = read_dates(self)
            return dates[:_MAX_DATES], places
        return [], set()
