"""Read what a sentence claims: its words, without courtesy, framing and citation marks."""

import re

from groundwatch.transforms.lexical.language import phrases
from groundwatch.transforms.lexical.language.sentences import COLONS, QUESTION_MARKS
from groundwatch.transforms.lexical.language.words import (
    REFUSAL,
    SOURCE,
    ClaimWords,
    TokenKind,
    Words,
    form_of,
    read_words,
)
from groundwatch.transforms.lexical.reading.answer_sentences import Role
from groundwatch.transforms.lexical.reading.same_text import in_one_spelling
from .clauses import exclaims, is_sentence, reports, statements_of, states_itself
from .frames import without_frame

_AROUND = ' \t*_\u00a1\u00bf"\u201c\u201d\u201e\u00ab\u00bb'
"""White space, Markdown's emphasis, quotation marks, and the marks in front of exclamations and
questions."""

_COURTESY = frozenset(map(form_of, phrases.COURTESY))
_OF_OTHERS = frozenset({"he", "she", "they", "him", "them", "his", "their"})
"""Words of courtesy state something beside one of these: "they are great"."""

_CONFIDENCE = re.compile(r"[^\W\d_]{3,20}(?: [^\W\d_]{2,20}){0,2}\s?: ?(?:0[.,]\d{1,4}|1[.,]0+)\W?")
"""A name with a share of one and no unit."""

_MAX_ADDRESS_TOKENS = 3
"""Of a name behind a greeting: "Guten Tag, Frau Schneider!"."""

_MAX_FRAMES = 3
_FEWEST_WORDS = 2
"""Content words, none of courtesy, of a statement beside what requires no check."""


def read_claim(sentence: str, role: Role = Role.TEXT) -> ClaimWords | None:
    """Return the words of a sentence, or None if it requires no check.

    A question, an announcement, a heading, a greeting, an offer, a refusal, a statement that the
    sources do not contain something, and a sentence without a content token require no check. A
    statement in the same sentence does, and so does a heading, a line of a list of sources or a
    line of code that is a sentence. The heading row of a table is structure.
    """
    if role is Role.TABLE_HEADING:
        return None
    plain = in_one_spelling(sentence)
    is_code = role is Role.CODE
    if (is_code or role is Role.SOURCE) and not states_itself(plain, is_code=is_code):
        return None
    is_heading = role is Role.HEADING
    return _read_whole(plain, is_heading=is_heading) or _read_part(plain.strip(_AROUND))


def _read_part(sentence: str) -> ClaimWords | None:
    """Return the words of a statement in a sentence that by itself requires no check."""
    is_refusal = refuses(sentence)
    for part in statements_of(sentence, is_refusal=is_refusal):
        if is_refusal and (reports(part) or refuses(part)):
            continue
        claim = _read_whole(part)
        if claim is not None and _states_something(claim):
            return claim
    return None


def _states_something(claim: ClaimWords) -> bool:
    """Return whether a part of a sentence says more than a name or a courtesy."""
    is_name = TokenKind.WORD not in claim.kinds and not claim.numbers
    return not is_name and len(claim.distinct - _COURTESY) >= _FEWEST_WORDS


def refuses(text: str) -> bool:
    """Return whether a text says that it, or its source, cannot answer."""
    return bool(read_words(text).signs & REFUSAL) and phrases.states_refusal(text)


def _read_whole(plain: str, *, is_heading: bool = False) -> ClaimWords | None:
    """Return the words of a text, or None if all of it requires no check."""
    statement = phrases.without_leads(plain)
    words = read_words(statement)
    names_source = bool(words.signs & SOURCE)
    if names_source and words.signs & REFUSAL and phrases.states_refusal(statement):
        return None
    stated = _without_frames(statement)
    if names_source:
        stated = phrases.without_references(stated)
    if stated != statement:
        statement, words = stated, read_words(stated)
    bare = phrases.without_signs(statement.strip(_AROUND))
    if bare.endswith(QUESTION_MARKS) or _is_label(bare, words, is_heading=is_heading):
        return None
    if phrases.addresses_reader(bare) or exclaims(bare, words):
        return None
    is_address = (
        statement != plain and bare.endswith(("!", ",")) and TokenKind.WORD not in words.kinds
    )
    if is_address and len(words.forms) <= _MAX_ADDRESS_TOKENS:
        return None
    claim = ClaimWords(statement, words)
    if not claim.content or _is_courtesy(claim):
        return None
    return claim


def _without_frames(statement: str) -> str:
    for _ in range(_MAX_FRAMES):
        framed = without_frame(statement)
        if framed == statement:
            break
        statement = phrases.without_leads(framed)
    return statement


def _is_label(bare: str, words: Words, *, is_heading: bool) -> bool:
    """Return whether a heading, or a line that ends with a colon, states nothing itself."""
    if ":" in bare and _CONFIDENCE.fullmatch(bare):
        return True
    is_colon = bare.endswith(COLONS)
    if is_colon and is_heading:
        return True
    is_marked = is_colon or (is_heading and not bare.endswith((".", "!")))
    return is_marked and not is_sentence(words, is_colon=is_colon)


def _is_courtesy(claim: ClaimWords) -> bool:
    """Return whether a sentence has nothing but words of courtesy, and no number."""
    return claim.distinct <= _COURTESY and _OF_OTHERS.isdisjoint(claim.forms) and not claim.numbers
