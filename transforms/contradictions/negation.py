"""What a sentence denies."""

import re
from collections.abc import Sequence

from transforms.contradictions.statement import Statement, Token

_DENYING = frozenset({"not", "never", "cannot"})
"""What denies what follows; "no" and "without" too often only qualify it."""

_DENIAL = re.compile(r"n(?:(?<!\wn)ot|(?<=cann)ot|(?<!\wn)ever|['\u2019]t)\b")
"""The ends of the same words, in lower case; a first letter of its own lets the search skip."""

_ANY_DENIAL = re.compile(
    r"\b(?:not|never|cannot|no|nor|none|neither|without|unable|hardly|rarely|fail(?:s|ed)?"
    r"|lack(?:s|ed|ing)?|only|instead|unless|except)\b|n['\u2019]t\b|\b(?:non|un)-",
    re.IGNORECASE,
)
"""Words by which a sentence may say the same as one that denies."""

_QUALIFIERS = frozenset({"all", "every", "only", "just", "always", "necessarily", "if", "whether"})
"""Beside one of these nothing is denied: not only, not all, if not."""

_NEAR = 4
"""So many tokens around such a word what it denies is looked for."""

_MOST_CHARACTERS = 60
_MOST_DENIED = 64
"""Of one sentence."""


def words_behind_denials(lower: str) -> frozenset[str]:
    """Find the forms of all words that a text of any length, in lower case, could deny.

    Reading its sentences takes many times as long.
    """
    behind = (lower[cue.end() : cue.end() + _MOST_CHARACTERS] for cue in _DENIAL.finditer(lower))
    words = (_first_of_content(Statement(each).tokens) for each in behind)
    return frozenset(word.form for word in words if word)


def _denies(token: Token) -> bool:
    return token.word.lower in _DENYING or token.word.lower.endswith("n't")


def _first_of_content(tokens: Sequence[Token]) -> Token | None:
    return next((token for token in tokens[:_NEAR] if token.word.is_content), None)


def denies_anything(lower: str) -> bool:
    """Tell whether a text, in lower case, holds a word that denies what follows."""
    return _DENIAL.search(lower) is not None


def may_deny(text: str) -> bool:
    """Tell whether a text could deny anything, in whatever words."""
    return _ANY_DENIAL.search(text) is not None


def read_denials(statement: Statement) -> dict[str, str]:
    """Find the first 64 words that are denied.

    Returns:
      What is written from the denying word to the denied one, by the form of the latter.
    """
    denied: dict[str, str] = {}
    tokens = statement.tokens
    for place, denial in enumerate(tokens):
        if not _denies(denial):
            continue
        around = tokens[max(0, place - _NEAR) : place + 2]
        if any(token.word.lower in _QUALIFIERS for token in around):
            continue
        word = _first_of_content(tokens[place + 1 : place + 1 + _NEAR])
        if word and not statement.breaks_between(denial, word):
            denied.setdefault(word.form, statement.between(denial, word))
            if len(denied) == _MOST_DENIED:
                break
    return denied
