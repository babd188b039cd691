"""Exchange who does something and to whom, or what is compared with what."""

import re

from groundwatch.transforms.changes.english import MODALS, PRONOUNS, UNCLEAR, VERBS, capitalized
from groundwatch.transforms.changes.statement import Statement
from groundwatch.transforms.lexical.fact_sentences import stems_of

# ruff: noqa: SIM905 - tables of words read best as text

_REGULAR = """
    acquire invent discover defeat replace own employ manage approve charge control precede produce
    create develop design direct kill hire sue conquer invade influence inspire attack finance
    sponsor translate publish appoint elect train rescue capture arrest accuse criticize praise
    contact notify inform invite represent support review contain include cover receive supply
    protect fund cause prevent trigger remove surround power host store process deliver transport
    absorb release attract hunt use reimburse supervise inspect monitor regulate contact
""".split()
_IRREGULAR = {
    "buy": "bought",
    "sell": "sold",
    "beat": "beat",
    "write": "wrote",
    "teach": "taught",
    "pay": "paid",
    "build": "built",
    "send": "sent",
    "feed": "fed",
    "eat": "ate",
    "drive": "drove",
    "carry": "carried",
}
PLAIN = frozenset((*_REGULAR, *_IRREGULAR))
"""Verbs of which the one who does it is not the one to whom it is done."""

_THIRD = frozenset("carries" if verb == "carry" else f"{verb}s" for verb in PLAIN)
_PAST = frozenset(_IRREGULAR.values()) | {
    f"{verb}d" if verb.endswith("e") else f"{verb}ed" for verb in _REGULAR
}
_DETERMINERS = frozenset("the a an each every our your".split())
_SIDE = r"(?:[\w'\u2019-]+ ){0,5}?[\w'\u2019-]+"
_OTHER_SIDE = (
    rf"(?P<two>{_SIDE})(?P<rest>[.!]| (?:in|on|at|for|to|with|from|after|before|during|by|when"
    r"|because|over|within|without|through|until|under|into|as|using)\b.*[.!])$"
)
_ACTIVE = re.compile(
    rf"^(?P<one>{_SIDE}) (?P<verb>(?:(?:can|will|must) )?"
    rf"(?:{'|'.join(sorted(PLAIN | _THIRD | _PAST))}))"
    rf" {_OTHER_SIDE}"
)
_PASSIVE = re.compile(
    rf"^(?P<one>{_SIDE}) (?P<verb>(?:is|are|was|were|(?:can|will|must) be)"
    rf" (?:[a-z]+ly )?[a-z]+(?:ed|en|wn|ld|ught|aid|ade|uilt|ung|und|ent) by) {_OTHER_SIDE}"
)
_COMPARED = re.compile(
    rf"^(?P<one>{_SIDE}) (?P<verb>(?:is|are|was|were) (?:much |far |slightly )?"
    rf"(?:[a-z]+er|more [a-z]+|less [a-z]+) than) {_OTHER_SIDE}"
)
_FROM_TO = re.compile(
    r"^(?P<before>.*\b(?:sen[dt]s?|mov\w+|flow\w*|travel\w*|transfer\w*|migrat\w+|r[ua]ns?|ship\w*"
    r"|fl[iey]\w+|goes|went|sail\w*|convert\w*|import\w*|export\w*)\b[^,;]*? from )"
    r"(?P<one>[A-Z][a-z]+) to (?P<two>[A-Z][a-z]+)(?P<rest>\b[^,;]*[.!])$"
)
_NO_SIDE = (PRONOUNS | UNCLEAR | VERBS) - _DETERMINERS - {"of"}
_MIN_PLURAL = 4


def change_role(statement: Statement) -> str | None:
    """Exchange the subject and the object of a statement, or both sides of a comparison.

    None for a statement that is not English; where a side is not one noun or name with few words;
    and where both have a word in common, so that it may be true in both ways.
    """
    if not statement.is_english:
        return None
    text = statement.text
    if moved := _FROM_TO.match(text):
        return f"{moved['before']}{moved['two']} to {moved['one']}{moved['rest']}"
    for form in (_PASSIVE, _COMPARED, _ACTIVE):
        found = form.match(text)
        if found and _can_change(*found.group("one", "verb", "two")):
            one, verb, two, rest = found.group("one", "verb", "two", "rest")
            return f"{capitalized(two)} {verb} {_inside(one)}{rest}"
    return None


def _can_change(one: str, verb: str, two: str) -> bool:
    stems = [stems_of(side) for side in (one, two)]
    if not all(stems) or stems[0] & stems[1] or not (_names_one(one) and _names_one(two)):
        return False
    verbs = verb.split()
    first, last = verbs[0], verbs[-1]
    if last in _THIRD:
        return not (is_plural(one) or is_plural(two))
    if last in PLAIN and first not in MODALS:
        return is_plural(one) and is_plural(two)
    if last in _PAST or first in MODALS:
        return True
    return is_plural(one) == is_plural(two) == (first in {"are", "were"})


def _names_one(side: str) -> bool:
    """Return whether some words name something: "the blue lamp", "Nikon", "lamps of glass"."""
    words = side.split()
    lower = [word.lower() for word in words]
    if not _NO_SIDE.isdisjoint(lower) or any(word.endswith(("ly", "ing")) for word in lower):
        return False
    is_name = all(word[0].isupper() for word in words)
    return lower[0] in _DETERMINERS or is_name or is_plural(side)


def is_plural(side: str) -> bool:
    """Return whether a noun, before "of", has the ending of a plural."""
    last = side.partition(" of ")[0].split()[-1]
    is_name = last[0].isupper() and " " not in side
    return (
        len(last) >= _MIN_PLURAL
        and last.endswith("s")
        and not last.endswith(("ss", "us", "is"))
        and not is_name
    )


def _inside(side: str) -> str:
    """Return a subject as it is written inside a sentence: only a name keeps its capital."""
    first, _, rest = side.partition(" ")
    is_name = first.lower() not in _DETERMINERS and (not rest or rest[0].isupper())
    return side if is_name and not is_plural(side) else f"{side[0].lower()}{side[1:]}"
