"""Decide which sentences of an answer are claims that require a check, and read their words."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import compress, pairwise

from schemas import Record
from transforms.contradictions.parsed_sentence import REFUSAL, SOURCE, Features
from transforms.grounding.local.tokens import Kind, Words, read_words
from transforms.rules import english

Pair = tuple[str, str]

_AROUND = " \t*_"
"""White space and Markdown's emphasis."""


class ClaimWords(Record, frozen=True, kw_only=True):
    """The words of a claim as normal forms, in order.

    Attributes:
      content: every content token.
      distinct: each content token once.
      numbers, names: the content tokens that are numbers or names; the first token is not a name.
      pairs: all adjacent tokens, function words included.
      features: what the whole sentence may contain.
    """

    content: Sequence[str]
    distinct: frozenset[str]
    numbers: Sequence[str]
    names: Sequence[str]
    pairs: list[Pair]
    features: Features

    def count(self, missed: AbstractSet[str]) -> tuple[int, int, int]:
        """Count the occurrences of some forms among the numbers, names and content tokens."""
        is_missed = missed.__contains__
        return (
            sum(map(is_missed, self.numbers)),
            sum(map(is_missed, self.names)),
            sum(map(is_missed, self.content)),
        )


def read_claim(sentence: str) -> ClaimWords | None:
    """Return the words of a sentence, or None if it requires no check.

    A question, an announcement, a greeting, a statement that the sources do not contain something,
    and a sentence without a content token require no check.
    """
    words = read_words(sentence)
    names_source = bool(words.features.kinds & SOURCE)
    statement = _without_boilerplate(sentence, names_source=names_source)
    bare = statement.strip(_AROUND)
    if bare.endswith(("?", "\uff1f", "\u061f", ":", "\uff1a")):
        return None
    if english.ADDRESS_TO_READER.match(bare):
        return None
    if names_source and words.features.kinds & REFUSAL and english.REFUSAL.search(sentence):
        return None
    return _words_of(words if statement == sentence else read_words(statement), words.features)


def _without_boilerplate(sentence: str, *, names_source: bool) -> str:
    statement = english.FOOTNOTE.sub(" ", sentence) if "[" in sentence else sentence
    if names_source:
        if opening := english.OPENING.match(statement):
            statement = statement[opening.end() :]
        statement = english.without_references(statement)
    return statement


def _words_of(statement: Words, features: Features) -> ClaimWords | None:
    forms, kinds = statement.forms, statement.kinds
    content = tuple(compress(forms, kinds))
    if not content:
        return None
    return ClaimWords(
        content=content,
        distinct=frozenset(content),
        numbers=_of_kind(Kind.NUMBER, forms, kinds),
        names=_of_kind(Kind.NAME, forms[1:], kinds[1:]),
        pairs=list(pairwise(forms)),
        features=features,
    )


def _of_kind(kind: Kind, forms: Sequence[str], kinds: bytearray) -> Sequence[str]:
    if kind not in kinds:
        return ()
    return [form for form, its_kind in zip(forms, kinds, strict=True) if its_kind == kind]
