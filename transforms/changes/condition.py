"""Leave out a condition that a statement has, or invent one."""

import re

from groundwatch.transforms.changes.english import PRONOUNS, VERBS, capitalized, negations
from groundwatch.transforms.changes.statement import Statement, pick

# ruff: noqa: SIM905 - tables of words read best as text

_WORDS = r"(?:if|unless|provided that|as long as|only if|only when)"
_BEHIND = re.compile(rf"^(?P<main>.+?),? (?P<word>{_WORDS}) (?P<rest>[^,;]+)(?P<mark>[.!])$")
_BEFORE = re.compile(
    r"^(?:If|Unless|Provided that|As long as) (?P<rest>[^,;]+), (?:then )?(?P<main>.+[.!])$"
)
_ANY = re.compile(
    r"\b(?:if|unless|provided|when|whenever|only|except|as long as|until)\b", re.IGNORECASE
)
_WHETHER = frozenset(
    """
    see check ask asks asked wonder know determine decide test find sure tell verify even as what
    say unclear question matter out regardless doubt and or but
    """.split()
)
"""Behind these, "if" says whether, or adds another case."""

_ELLIPTIC = frozenset("any possible necessary needed applicable not so required available".split())
_MIN_WORDS = 4
_POSSIBLE = frozenset({"may", "might", "could", "some", "sometimes"})
_REQUESTED = frozenset("please that which who what how whether to and".split())
"""Before the first verb: "check that the light is red"."""

_RULE = re.compile(
    r"^(?:\w+ ){0,3}(?:you|we|customers|users|[a-z]*owners|[a-z]*holders|buyers|sellers|clients"
    r"|subscribers|drivers|passengers|players|workers|managers|teachers|members|guests|visitors"
    r"|students|patients|tenants|applicants|residents|participants|employees|staff|everyone|anyone)"
    r" (?:can|may|must|will)\b",
    re.IGNORECASE,
)
"""What people may or must do; of things the invented conditions make no sense."""

_INVENTED = (
    ", but only on weekdays",
    ", but only with a written permission",
    ", but only for members",
    ", but only until the end of March",
    ", unless the manager objects",
    ", provided that a deposit is paid",
)


def change_condition(statement: Statement) -> str | None:
    """Leave out the condition of a statement, so that it is said of all, or invent one of a rule.

    None for a statement that is not English; for one with a condition that cannot be left out; and
    for one without "can", "may", "must" or "will", which is no rule.
    """
    if not statement.is_english:
        return None
    conditions = _ANY.findall(statement.text)
    if not conditions:
        return _restricted(statement)
    return _unconditional(statement.text) if len(conditions) <= _most(conditions) else None


def _most(conditions: list[str]) -> int:
    """Return how many words one condition may have: "only if" has two."""
    return 2 if conditions[0].lower() == "only" else 1


def _unconditional(text: str) -> str | None:
    if found := _BEHIND.match(text):
        before, first = found["main"].split()[-1].lower(), found["rest"].split()[0].lower()
        is_whether = before in _WHETHER and found["word"] == "if"
        if is_whether or first in _ELLIPTIC or not _stands_alone(found["main"]):
            return None
        return f"{found['main']}{found['mark']}"
    found = _BEFORE.match(text)
    if found is None or found["main"].split()[0].lower() in PRONOUNS - {"you", "we"}:
        return None
    return capitalized(found["main"]) if _stands_alone(found["main"]) else None


def _stands_alone(main: str) -> bool:
    """Return whether a clause states something: a request without its condition is not wrong.

    What may be, may be without the condition, too.
    """
    words = main.lower().split()
    place = next((number for number, word in enumerate(words) if word in VERBS), None)
    if place is None or len(words) < _MIN_WORDS or not _POSSIBLE.isdisjoint(words):
        return False
    return _REQUESTED.isdisjoint(words[: place + 1])


def _restricted(statement: Statement) -> str | None:
    text = statement.text
    if not _RULE.search(text) or negations(text) or ", " in text or text.endswith("!"):
        return None
    known = statement.source.words
    options = [each for each in _INVENTED if each.split()[-1].lower() not in known]
    invented = pick(options, statement.digest, "condition")
    return f"{text.removesuffix('.')}{invented}." if invented else None
