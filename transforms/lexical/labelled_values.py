"""Find the value of another thing in a list: 50 seats for the plan that has 10.

A fact often says one value for each of several things: "Starter includes 3 seats, Team 10 and Scale
50.", or a table. Such a claim is in no sentence nearly verbatim.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, pairwise
from typing import NamedTuple

from groundwatch.schemas.verdict import ContradictionKind
from groundwatch.transforms.lexical.difference import ComparedClaim, ComparedFacts, Difference
from groundwatch.transforms.lexical.fact_sentences import (
    FactSentences,
    ReadSentence,
    places_in,
    stem_of,
)
from groundwatch.transforms.lexical.value import DATE, TIME, Value
from groundwatch.transforms.lexical.words import VALUE, Token, word_from

_CLAUSE_END = re.compile(r"[;\n]|,(?=\s)|\.\s|\s(?:and|und|et|y|e|while|whereas)\s")
_MIN_CLAUSES, _MAX_CLAUSES = 2, 40
_MAX_CLAUSE_TOKENS = 30
"""A longer clause is a part of a text, and not of a list."""

_NUMBERED = re.compile(
    r"[-/_]$|\b(?:version|release|phase|stage|level|chapter|section|season|episode|volume|gate|room"
    r"|article|type|class|grade|generation)\s$",
    re.IGNORECASE,
)
"""What is in front of a number that is a name: "version 3"."""

_MAX_NUMBERED = 12
_FIRST_KANA = "\u3041"
_APOSTROPHES = ("'", "\u2019")


class _Labelled(NamedTuple):
    """A clause with one value of a kind.

    Attributes:
      value: the value.
      text: how it is written.
      words: the stems of its words.
      names: those that are names.
    """

    value: Value
    text: str
    words: AbstractSet[str]
    names: AbstractSet[str]


def find_labelled(own: ComparedClaim, facts: ComparedFacts) -> Iterator[Difference]:
    """Find a claim's value that a fact has for another thing, and the value of the thing named."""
    listing = [each for each in facts if _may_list(own, each[1])] if len(own.numbers) == 1 else []
    if not listing:
        return
    explicit = [each for each in own.values if not each.is_implied and each.kind != DATE]
    if len(explicit) != 1 or own.negations or max(own.text) >= _FIRST_KANA:
        return
    [value] = explicit
    noun = _noun(own, value)
    is_numbered = _NUMBERED.search(own.text, max(0, value.start - _MAX_NUMBERED), value.start)
    if is_numbered or not (noun or value.units or value.kind == TIME):
        return
    labels = _labels(own.tokens, own)
    words = frozenset(map(_label_of, labels))
    names = frozenset(_label_of(each) for each in labels if each.start and _is_name(each, own))
    for number, sentences in listing:
        clauses = list(_clauses(sentences, value, noun))
        if not _MIN_CLAUSES <= len(clauses) <= _MAX_CLAUSES:
            continue
        if found := _said_of(value, words, names, clauses):
            text = own.text[value.start : value.end]
            yield Difference(ContradictionKind.NUMBER, text, found.text, number)
            return


def _may_list(own: ComparedClaim, sentences: FactSentences) -> bool:
    """Return whether a fact may have a claim's number for another thing; a fast test.

    It has the name and the number, but no sentence with both and no other number.
    """
    numbers, names = own.numbers, own.capitals
    if not names:
        return False
    has_number = has_name = False
    for contents, signs in zip(sentences.contents, sentences.signs, strict=True):
        if not signs & VALUE:
            continue
        is_named = not names.isdisjoint(contents)
        if numbers <= contents:
            has_number = True
            if is_named and sum(form[0].isdigit() for form in contents) == len(numbers):
                return False
        has_name = has_name or is_named
    return has_number and has_name


def _said_of(
    value: Value, words: AbstractSet[str], names: AbstractSet[str], clauses: Sequence[_Labelled]
) -> _Labelled | None:
    """Return the clause about what a claim names, if only clauses about others have its value.

    A clause with the value is about the claim if it alone has one of its words, or has a word of
    it that few clauses have and the one with the name lacks.
    """
    with_value = [each for each in clauses if value.equals(each.value)]
    others = [each for each in clauses if not value.equals(each.value)]
    counts = Counter(chain.from_iterable([each.words & words for each in clauses]))
    if not with_value or not names <= counts.keys():
        return None
    if any(counts[word] == 1 for each in with_value for word in each.words & words):
        return None
    named = [each for each in others if any(counts[name] == 1 for name in each.names & words)]
    if len(named) != 1:
        return None
    [found] = named
    rare = {word for word, count in counts.items() if 2 * count <= len(clauses)}
    is_said = any(not each.words & rare <= found.words for each in with_value)
    return None if is_said else found


def _clauses(sentences: FactSentences, value: Value, noun: str | None) -> Iterator[_Labelled]:
    """Yield the clauses of a fact that have one value such as a claim's."""
    for place, text in enumerate(sentences.texts):
        if not sentences.signs[place] & VALUE:
            continue
        sentence = sentences.read(place)
        alike = [
            each
            for each in sentence.values
            if not each.is_implied
            and not text[each.start].isupper()
            and value.units == each.units
            and value.measures_like(each)
            and _noun(sentence, each) in (None, noun)
        ]
        is_row = "|" in text
        ends = [] if is_row else [found.start() for found in _CLAUSE_END.finditer(text)]
        if len(ends) > _MAX_CLAUSES:
            continue
        for start, end in pairwise([0, *ends, len(text)]):
            within = [each for each in alike if start <= each.start < end]
            if len(within) != 1:
                continue
            tokens = [each for each in sentence.tokens if start <= each.start < end]
            if len(tokens) <= _MAX_CLAUSE_TOKENS:
                [found] = within
                labels = _labels(tokens, sentence)
                yield _Labelled(
                    found,
                    text[found.start : found.end],
                    frozenset(map(_label_of, labels)),
                    frozenset(_label_of(each) for each in labels if _is_name(each, sentence)),
                )


def _labels(tokens: Iterable[Token], sentence: ReadSentence) -> list[Token]:
    """Return the tokens that may name something: words beside the values, and single letters."""
    in_values = places_in([(value.start, value.end) for value in sentence.values])
    return [
        each
        for each in tokens
        if (each.kind or _is_letter(each, sentence.text)) and each.start not in in_values
    ]


def _is_letter(token: Token, text: str) -> bool:
    """Return whether a token is a letter that names something: "Mobile L"."""
    is_alone = token.start > 0 and text[token.end : token.end + 1] not in _APOSTROPHES
    return len(token.lower) == 1 and text[token.start].isupper() and is_alone


def _label_of(token: Token) -> str:
    return stem_of(token.form)


def _is_name(token: Token, sentence: ReadSentence) -> bool:
    return sentence.text[token.start].isupper()


def _noun(sentence: ReadSentence, value: Value) -> str | None:
    """Return the stem of the word behind a number without a unit, if one follows at once."""
    if value.units:
        return None
    word = word_from(sentence.content, value.end)
    return stem_of(word.form) if word and word.start <= value.end + 1 else None
