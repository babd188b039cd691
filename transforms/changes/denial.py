"""Deny what a statement says, or say what it denies."""

import re

from groundwatch.transforms.changes.english import (
    BEING,
    HAVING,
    MODALS,
    THIRD_PERSON,
    negations,
    read_frame,
)
from groundwatch.transforms.changes.statement import Statement

# ruff: noqa: SIM905 - tables of words read best as text

_VAGUE = frozenset(
    """
    some many most few several often sometimes usually generally typically may might could should
    would partly mostly mainly largely nearly almost about rarely seldom hardly only just all every
    always each any either yet still even until unless but although though however while whereas
    also too both neither except without rather instead otherwise because necessarily shall more
    less if probably possibly likely
    """.split()
)
"""Beside one of these, a statement and its denial may both be true, or the denial says nothing."""

_DENIED = re.compile(
    r"\b(?P<verb>is|are|was|were|will|must|does|do|did|can|has|have|had)"
    r"(?: not|n['\u2019]t|(?<=can)not)\b"
)
_PARTICIPLE = re.compile(r" (?:been|[a-z]+ed|become|made|given|taken|shown|found|built|grown|won) ")


def change_denial(statement: Statement) -> str | None:
    """Insert "not" behind the first verb of a statement, or remove the only negation that it has.

    None for a statement that is not English, and where the denial may be true, too: beside "some",
    "often", "may".
    """
    words = {word.lower() for word in statement.words}
    if not statement.is_english or not _VAGUE.isdisjoint(words):
        return None
    denying = negations(statement.text)
    if denying:
        return _affirmed(statement.text) if len(denying) == 1 else None
    return _denied(statement)


def _affirmed(text: str) -> str | None:
    found = _DENIED.search(text)
    return found and f"{text[: found.start()]}{found['verb']}{text[found.end() :]}"


def _denied(statement: Statement) -> str | None:
    frame = read_frame(statement)
    if frame is None:
        return None
    text, verb = statement.text, frame.verb
    behind = frame.predicate(text)
    if not behind.startswith(" "):
        return None
    if verb == "can":
        put = "cannot"
    elif verb in BEING or verb in MODALS or (verb in HAVING and _PARTICIPLE.match(behind)):
        put = f"{verb} not"
    elif verb in HAVING:
        put = {"has": "does not have", "have": "do not have", "had": "did not have"}[verb]
    else:
        put = f"does not {THIRD_PERSON[verb]}"
    return f"{text[: frame.start]}{put}{behind}"
