"""Exchange who does something and to whom, or what is compared with what."""

import re

from groundwatch.transforms.changes.english import MODALS, PRONOUNS, UNCLEAR, VERBS, capitalized
from groundwatch.transforms.changes.name import NO_NAMES
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
_NO_SIDE = ((PRONOUNS | UNCLEAR | VERBS) - _DETERMINERS - {"of"}) | {"out", "up", "off", "down"}
_MUTUAL = frozenset("bordered joined married met accompanied separated adjoined".split())
"""Of these, both sides may be exchanged, and the statement stays true."""

_MIN_PLURAL = 4


def change_role(statement: Statement) -> str | None:
    """Exchange the subject and the object of a statement, or both sides of a comparison.

    None for a statement that is not English; where a side is not one noun or name with few words;
    and where one side is a part of the other, so that it may be true in both ways.
    """
    if not statement.is_english:
        return None
    text = statement.text
    moved = _FROM_TO.match(text)
    if moved and NO_NAMES.isdisjoint(map(str.lower, moved.group("one", "two"))):
        return f"{moved['before']}{moved['two']} to {moved['one']}{moved['rest']}"
    for form in (_PASSIVE, _COMPARED, _ACTIVE):
        found = form.match(text)
        if found is None:
            continue
        one, verb, two, rest = found.group("one", "verb", "two", "rest")
        # "Teachers supervise": with this verb, the capital is that of the sentence.
        subject = _decapitalized(one) if _is_of_many(verb) else one
        if _can_change(subject, verb, two):
            return f"{capitalized(two)} {verb} {_inside(subject)}{rest}"
    return None


def _is_of_many(verb: str) -> bool | None:
    """Return whether a verb has the form for many; None if that is the form for one, too."""
    verbs = verb.split()
    first, last = verbs[0], verbs[-1]
    if first in MODALS or last in _PAST:
        return None
    return first in {"are", "were"} or last in PLAIN


def _can_change(one: str, verb: str, two: str) -> bool:
    own, its = (stems_of(side) for side in (one, two))
    if not (own and its and _names_one(one) and _names_one(two)) or own <= its or its <= own:
        return False
    is_of_many = _is_of_many(verb)
    if not _MUTUAL.isdisjoint(verb.split()):
        return False
    return is_of_many is None or is_of_many == is_plural(one) == is_plural(two)


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


def _decapitalized(side: str) -> str:
    return f"{side[0].lower()}{side[1:]}"


def _inside(side: str) -> str:
    """Return a subject as it is written inside a sentence: only a name keeps its capital."""
    first, _, rest = side.partition(" ")
    is_name = first.lower() not in _DETERMINERS and (not rest or rest[0].isupper())
    return side if is_name and not is_plural(side) else _decapitalized(side)
