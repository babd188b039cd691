"""Read which words a sentence negates."""

import re
from collections.abc import Sequence

from transforms.contradictions.tokenized_text import Token, TokenizedText

# These negate what follows; "no" and "without" often only qualify it.
_NEGATIONS = frozenset({"not", "never", "cannot"})
# The ends of the same words in lower case; a fixed first letter makes the search fast.
_NEGATION = re.compile(r"n(?:(?<!\wn)ot|(?<=cann)ot|(?<!\wn)ever|['\u2019]t)\b")
_ANY_NEGATION = re.compile(
    r"\b(?:not|never|cannot|no|nor|none|neither|without|unable|hardly|rarely|fail(?:s|ed)?"
    r"|lack(?:s|ed|ing)?|only|instead|unless|except)\b|n['\u2019]t\b|\b(?:non|un)-",
    re.IGNORECASE,
)
# A negation next to one of these has no effect: not only, not all, if not.
_QUALIFIERS = frozenset({"all", "every", "only", "just", "always", "necessarily", "if", "whether"})
_NEAR = 4  # the distance in tokens between a negation and the negated word
_MAX_CHARS = 60
_MAX_NEGATED = 64  # per sentence


def has_negation(lower: str) -> bool:
    """Return whether a text in lower case contains a word that negates what follows."""
    return _NEGATION.search(lower) is not None


def may_negate(text: str) -> bool:
    """Return whether a text contains any word by which it could negate something."""
    return _ANY_NEGATION.search(text) is not None


def words_behind_negations(lower: str) -> frozenset[str]:
    """Return the forms of the words that a text of any length, in lower case, may negate.

    This is many times as fast as `read_negated`.
    """
    behind = (lower[found.end() : found.end() + _MAX_CHARS] for found in _NEGATION.finditer(lower))
    words = (_first_content(TokenizedText(each).tokens) for each in behind)
    return frozenset(word.form for word in words if word)


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
    return negated


def _first_content(tokens: Sequence[Token]) -> Token | None:
    return next((token for token in tokens[:_NEAR] if token.is_content), None)
