"""Read what a sentence claims: its words, without courtesy, openings and citation marks."""

from groundwatch.transforms.lexical import phrases
from groundwatch.transforms.lexical.same_text import in_one_spelling
from groundwatch.transforms.lexical.words import (
    REFUSAL,
    SOURCE,
    ClaimWords,
    TokenKind,
    form_of,
    read_words,
)

_AROUND = " \t*_\u00a1\u00bf"
"""White space, Markdown's emphasis, and the marks in front of exclamations and questions."""

_COURTESY = frozenset(map(form_of, phrases.COURTESY))
_OF_OTHERS = frozenset({"he", "she", "they", "him", "them", "his", "their"})
"""Words of courtesy state something beside one of these: "they are great"."""

_MAX_STEP_TOKENS = 3
"""Of a heading with a number, such as "Step 1"."""

_MAX_HEADING_TOKENS = 12


def read_claim(sentence: str, *, is_heading: bool = False) -> ClaimWords | None:
    """Return the words of a sentence, or None if it requires no check.

    A question, an announcement, a heading, a greeting, an offer, a refusal, a statement that the
    sources do not contain something, and a sentence without a content token require no check.
    """
    plain = phrases.without_marks(in_one_spelling(sentence))
    statement = phrases.without_leads(plain)
    words = read_words(statement)
    names_source = bool(words.signs & SOURCE)
    if names_source and words.signs & REFUSAL and phrases.refuses(statement):
        return None
    if names_source:
        stated = phrases.without_references(phrases.without_opening(statement))
        words = words if stated == statement else read_words(stated)
        statement = stated
    bare = statement.strip(_AROUND)
    if bare.endswith(("?", "\uff1f", "\u061f", ":", "\uff1a")) or phrases.addresses_reader(bare):
        return None
    if is_heading and len(words.forms) <= _MAX_HEADING_TOKENS and not bare.endswith((".", "!")):
        return None
    is_address = (
        statement != plain and bare.endswith(("!", ",")) and TokenKind.WORD not in words.kinds
    )
    if is_address and len(words.forms) <= _MAX_STEP_TOKENS:
        return None
    claim = ClaimWords(statement, words)
    if not claim.content or _is_courtesy(claim):
        return None
    return claim


def _is_courtesy(claim: ClaimWords) -> bool:
    """Return whether a sentence has nothing but words of courtesy, or is "Step 1"."""
    if claim.distinct <= _COURTESY:
        return _OF_OTHERS.isdisjoint(claim.forms)
    is_short = len(claim.forms) <= _MAX_STEP_TOKENS and TokenKind.NUMBER in claim.kinds
    if not is_short:
        return False
    words = claim.distinct.difference(claim.numbers)
    return bool(words) and words <= _COURTESY
