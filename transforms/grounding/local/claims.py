"""Claims: which sentences of an answer need a check, and the words they are checked by."""

from itertools import pairwise
from typing import NamedTuple

from transforms.grounding.local.tokens import Token, tokenize
from transforms.rules import phrases

Pair = tuple[str, str]

_AROUND = " \t*_"
"""White space and Markdown's emphasis."""


class ClaimWords(NamedTuple):
    """What a claim is scored by, as normal forms in the claim's order.

    Attributes:
      content: every content token.
      distinct: the content tokens' forms, each once.
      numbers, entities: the content tokens that are numbers or names.
      pairs: all tokens that stand side by side, function words among them.
    """

    content: list[str]
    distinct: frozenset[str]
    numbers: list[str]
    entities: list[str]
    pairs: list[Pair]


def read_claim(sentence: str) -> ClaimWords | None:
    """Return the words to check a sentence by, or None if it requires no check.

    No check is required of a question, an announcement, a greeting, a statement that the sources
    do not say, and a sentence without a content token.
    """
    names_source = _names_source(sentence)
    statement = _without_boilerplate(sentence, names_source=names_source)
    if statement.endswith(("?", "\uff1f", "\u061f", ":", "\uff1a")):
        return None
    if phrases.TO_THE_READER.match(statement):
        return None
    if names_source and phrases.REFUSAL.search(sentence):
        return None
    words = _words_of(tokenize(statement))
    return words if words.content else None


def _names_source(sentence: str) -> bool:
    return any(map(sentence.lower().__contains__, phrases.SOURCE_STEMS))


def _without_boilerplate(sentence: str, *, names_source: bool) -> str:
    statement = phrases.FOOTNOTE.sub(" ", sentence) if "[" in sentence else sentence
    if names_source:
        if opening := phrases.OPENING.match(statement):
            statement = statement[opening.end() :]
        statement = phrases.REFERENCE.sub(" ", statement)
    return statement.strip(_AROUND)


def _words_of(tokens: list[Token]) -> ClaimWords:
    content = [token for token in tokens if token.is_content]
    forms = [token.form for token in content]
    return ClaimWords(
        content=forms,
        distinct=frozenset(forms),
        numbers=[token.form for token in content if token.is_number],
        entities=[token.form for token in tokens[1:] if token.is_entity],
        pairs=list(pairwise([token.form for token in tokens])),
    )
