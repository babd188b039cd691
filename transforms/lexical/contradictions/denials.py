"""Find the sentence that denies what a claim states, or states what a claim denies."""

from collections.abc import Sequence
from itertools import takewhile, zip_longest
from typing import NamedTuple

from groundwatch.transforms.lexical.facts.fact_sentences import ReadSentence, places_in, stem_of
from groundwatch.transforms.lexical.language.modality import (
    CHOOSING,
    LIGHT,
    MODAL_VERBS,
    NEUTRAL,
    STATING,
    has_word,
    is_about_modality,
    is_light,
    may_be_waived,
    obliges,
    says_so,
)
from groundwatch.transforms.lexical.language.negations import (
    JOINED,
    OFF,
    OPTIONAL,
    QUALIFIERS,
    UNIVERSAL,
    may_negate,
)
from groundwatch.transforms.lexical.language.words import Token, TokenKind, is_kana, word_from
from .matching import Matched, match_in_any_order, match_in_order

DENIED = 0.85
"""A sentence with this share of a claim's words is about the same."""

SIMILAR = 0.75
"""With this share it is, too, if both say that something is possible, or required, or not so."""

_REACH = 2
"""A negation so many tokens away from a claim's words negates them."""

_MIN_WORDS, _MAX_WORDS = 2, 12
"""Fewer words say too little, and a sentence similar to more of them says too much else."""

_MAX_BESIDE = 2
_FIRST_KANA = "\u3041"
_BREAKS = frozenset(',;:.!?()[]"\u201c\u201d\u3001\u3002\uff0c\uff1b')

_Part = tuple[int, int]


class _Side(NamedTuple):
    """A claim, or the part of a sentence that is about the same."""

    sentence: ReadSentence
    part: _Part
    negations: Sequence[tuple[int, int]]

    @property
    def tokens(self) -> list[Token]:
        return _tokens_in(self.sentence, self.part)

    @property
    def text(self) -> str:
        return self.sentence.text[slice(*self.part)]

    @property
    def is_denied(self) -> bool:
        return len(self.negations) % 2 == 1


def part_about_the_same(claim: ReadSentence, sentence: ReadSentence) -> _Part | None:
    """Return where a sentence says something about the same as a claim, if it does."""
    words = len(claim.content)
    if words < _MIN_WORDS:
        is_same = _without_negations(claim) == _without_negations(sentence)
        return _whole(sentence) if is_same or _says_of_one(claim, sentence) else None
    matched = match_in_order(claim, sentence)
    if matched.words >= DENIED * words and matched.is_compact:
        part = _reach(sentence, matched)
        says_how = _says_how(sentence, part) or not is_about_modality(claim.tokens)
        is_enough = says_how or words > _MIN_WORDS
        return part if is_enough and _has_values_there(claim, sentence, matched) else None
    if claim.places.keys() == sentence.places.keys():
        return _whole(sentence)
    return _part_in_other_words(claim, sentence)


def find_denial(claim: ReadSentence, sentence: ReadSentence, part: _Part) -> tuple[str, str] | None:
    """Find what of a claim a part of a sentence about the same denies; None if it agrees.

    That is what the claim says and what the sentence says instead, as they are written.
    """
    within = [span for span in sentence.negations if part[0] <= span[0] < part[1]]
    said, fact = _Side(claim, _whole(claim), claim.negations), _Side(sentence, part, within)
    said, fact = _with_predicates(said, fact), _with_predicates(fact, said)
    # "Neither A nor B" and "not A and not B" have other numbers of negations.
    is_joined = said.negations and fact.negations and has_word(said.tokens + fact.tokens, JOINED)
    if is_joined or said.is_denied == fact.is_denied:
        return None
    denied, stated = (said, fact) if said.is_denied else (fact, said)
    if not (_are_of_one_kind(denied, stated) and _deny_only_common(said, fact)):
        return None
    if len(said.negations) > len(fact.negations):
        claim_text, word = _quote(said)
        return claim_text, _quote_other(fact, word)
    sentence_text, word = _quote(fact)
    return _quote_other(said, word), sentence_text


def _part_in_other_words(claim: ReadSentence, sentence: ReadSentence) -> _Part | None:
    words = len(claim.content)
    matched = match_in_any_order(claim, sentence)
    part = _reach(sentence, matched)
    says_both = _says_how(claim) and _says_how(sentence, part)
    if matched.words == len(claim.places) and matched.is_compact:
        is_enough = says_both or words > _MIN_WORDS
        return part if is_enough and _has_values_there(claim, sentence, matched) else None
    is_similar = (
        says_both
        and _MIN_WORDS < words <= _MAX_WORDS
        and matched.words >= SIMILAR * len(claim.places)
        and matched.beside <= max(_MAX_BESIDE, matched.words // 2)
        and max(claim.text) < _FIRST_KANA
        and not any(
            each.kind == TokenKind.NAME and each.start and stem_of(each.form) not in sentence.places
            for each in claim.content
        )
    )
    return part if is_similar else None


def _whole(sentence: ReadSentence) -> _Part:
    return 0, len(sentence.text)


def _tokens_in(sentence: ReadSentence, part: _Part) -> list[Token]:
    start, end = part
    return [each for each in sentence.tokens if start <= each.start < end]


def _says_how(sentence: ReadSentence, part: _Part | None = None) -> bool:
    """Return whether a part says that something is possible or required, or not so."""
    tokens = _tokens_in(sentence, part) if part else sentence.tokens
    return is_about_modality(tokens) or any(may_negate(each.lower) for each in tokens)


def _says_of_one(claim: ReadSentence, sentence: ReadSentence) -> bool:
    """Return whether both say little more than that one thing is possible, or required, or not."""
    denied, stated = (claim, sentence) if claim.negations else (sentence, claim)
    return (
        claim.places.keys() <= sentence.places.keys()
        and len(claim.content) == len(denied.content) == 1
        and (
            _has_ended(denied)
            or all(any(map(each.equals, stated.values)) for each in denied.values)
        )
        and len(sentence.content) <= 1 + _MAX_BESIDE
        and _says_how(claim)
        and _says_how(sentence)
    )


def _has_ended(sentence: ReadSentence) -> bool:
    return any(sentence.text[start:end].endswith("longer") for start, end in sentence.negations)


def _without_negations(sentence: ReadSentence) -> list[str]:
    taken = places_in(sentence.negations)
    return [each.lower for each in sentence.tokens if each.start not in taken]


def _has_values_there(claim: ReadSentence, sentence: ReadSentence, matched: Matched) -> bool:
    """Return whether a sentence has a claim's values among or soon behind the words, if it does."""
    equal = [each.end for value in claim.values for each in sentence.values if value.equals(each)]
    behind = sentence.content[matched.last].end
    beside = sum(behind <= each.start < max(equal, default=0) for each in sentence.content)
    return matched.beside + beside <= matched.most_beside


def _with_predicates(side: _Side, other: _Side) -> _Side:
    """Add predicates that deny, such as "is optional", if the other side says how it is."""
    spans = [
        (one.start, one.end)
        for one, two in zip_longest(side.tokens, side.tokens[1:])
        if one.lower in OFF and not (two and two.kind and two.start == one.end + 1)
    ]
    if not spans or has_word(other.tokens, OFF) or not says_so(other.tokens):
        return side
    return side._replace(negations=sorted([*side.negations, *spans]))


def _are_of_one_kind(denied: _Side, stated: _Side) -> bool:
    """Return whether one side denies the very kind of statement that the other makes.

    That something is not required does not deny that it is possible; "not only" and "if not" deny
    something else; and what is so of all is so of one.
    """
    if not obliges(stated.tokens):
        if has_word(denied.tokens, OPTIONAL):
            return False
        if may_be_waived(denied.tokens) and has_word(stated.tokens, CHOOSING):
            return False
    of_denied, of_stated = _qualifiers(denied), _qualifiers(stated)
    return of_denied in (of_stated, [each for each in of_stated if each not in UNIVERSAL])


def _qualifiers(side: _Side) -> list[str]:
    return sorted(token.lower for token in side.tokens if token.lower in QUALIFIERS)


def _deny_only_common(claim: _Side, fact: _Side) -> bool:
    """Return whether each side has the words that the other one negates, or says to be possible."""
    for one, other in ((claim, fact), (fact, claim)):
        modal = [each.end for each in one.tokens if each.lower in MODAL_VERBS]
        for end in [*modal, *(end for _, end in one.negations)]:
            word = word_from(one.sentence.content, end)
            if word and stem_of(word.form) not in other.sentence.places:
                return False
    return True


def _reach(sentence: ReadSentence, matched: Matched) -> _Part:
    """Extend a span to the negations around it: "do not", and "is not possible" at the end."""
    first, last = sentence.content[matched.first], sentence.content[matched.last]
    start, end = first.start, last.end
    left = _REACH
    in_negations = places_in(sentence.negations)
    for token in reversed([each for each in sentence.tokens if each.end <= start]):
        left -= not (token.lower in LIGHT or token.start in in_negations)
        if left < 0 or not _BREAKS.isdisjoint(sentence.text[token.end : start]):
            break
        start = token.start
    for token in [each for each in sentence.tokens if each.start >= end]:
        gap = sentence.text[end : token.start]
        if not (is_kana(token.form) or is_light(token)) or not _BREAKS.isdisjoint(gap):
            break
        end = token.end
    return start, end


def _quote(side: _Side) -> tuple[str, str | None]:
    """Return the text from the first negation to what it negates, and the stem of that word.

    Without a stem it says that something is not possible or not required.
    """
    first, behind = side.negations[0]
    text, content = side.sentence.text, side.sentence.content
    if text[first:behind].lower() in OFF:
        return text[first:behind], None
    behind_it = [each for each in side.tokens if each.start >= behind]
    light = takewhile(lambda each: is_light(each) or not each.kind, behind_it)
    if predicate := next((each for each in light if each.lower in NEUTRAL), None):
        return text[first : predicate.end], None
    if word := word_from(content, behind):
        return text[first : word.end], stem_of(word.form)
    if word := next((each for each in reversed(content) if each.end <= first), None):
        return text[word.start : behind], stem_of(word.form)
    return text[first:behind], None


def _quote_other(side: _Side, stem: str | None) -> str:
    """Return how the other side has the word that is negated, or says that it is so."""
    if stem:
        found = [each for each in side.sentence.content if stem_of(each.form) == stem]
    else:
        found = [each for each in side.tokens if each.lower in STATING]
        found = found or [each for each in side.tokens if each.lower in NEUTRAL]
    word = found[0] if found else None
    return side.sentence.text[word.start : word.end] if word else side.text
