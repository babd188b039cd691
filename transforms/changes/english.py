"""Read the frame of an English statement: what it speaks of, its first verb, and what it says."""

import re
from typing import NamedTuple

from groundwatch.transforms.changes.statement import Statement
from groundwatch.transforms.lexical.negations import may_negate

# ruff: noqa: SIM905 - tables of words read best as text

MODALS = frozenset("can will must would could should may might shall".split())
BEING = frozenset("is are was were".split())
HAVING = frozenset("has have had".split())
THIRD_PERSON = {
    "takes": "take",
    "includes": "include",
    "requires": "require",
    "allows": "allow",
    "provides": "provide",
    "contains": "contain",
    "applies": "apply",
    "becomes": "become",
    "gives": "give",
    "makes": "make",
    "keeps": "keep",
    "belongs": "belong",
    "lasts": "last",
    "begins": "begin",
    "consists": "consist",
    "depends": "depend",
    "causes": "cause",
    "covers": "cover",
    "costs": "cost",
    "supports": "support",
    "offers": "offer",
    "needs": "need",
    "works": "work",
}
"""Verbs with their plain form, few of which are nouns, too."""

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

VERBS = MODALS | BEING | HAVING | THIRD_PERSON.keys()
_ALSO_NOUNS = frozenset("causes covers costs supports offers needs works".split())
_MAY_BEGIN = ("the ", "a ", "an ", "all ", "every ", "each ", "our ", "your ")
UNCLEAR = frozenset(
    """
    there it they he she we you i this that these those who which what when where why how if unless
    while because since although though as after before until once whether in on at by for from
    with during under over and or but nor not no to of than another others one some most many few
    several both either neither none nobody nothing any only just even also here its their his her
    """.split()
)
_CLAUSES = frozenset(
    """
    who whom whose which that what when where why how if unless while because since although though
    as after before until once whether and or but nor than only not no also both either neither
    whenever wherever whoever whatever first second third last latter former answer to sure please
    let it they you he she we i them him us
    """.split()
)
"""Words in a subject behind which a verb belongs to another clause."""

_MAX_SUBJECT = 7
_WORD = re.compile(r"[A-Za-z][A-Za-z'\u2019-]*|\d[\d.,]*|[^\s\w]")
PRONOUNS = frozenset(
    "it its they their them he his him she her this that these those such we our you your i".split()
)


class Frame(NamedTuple):
    """The parts of a statement; `verb` stands at `start` to `end`, in characters."""

    subject: str
    verb: str
    start: int
    end: int

    def predicate(self, text: str) -> str:
        """Return what stands behind the verb, with the mark at the end."""
        return text[self.end :]


def read_frame(statement: Statement) -> Frame | None:
    """Read a statement that begins with its subject and goes on with a known verb.

    None for one that is not English, and where the subject has a clause or words that may not name
    what it speaks of: a pronoun, "some", a comma.
    """
    if not statement.is_english:
        return None
    text = statement.text
    is_definite = text.lower().startswith(_MAY_BEGIN)
    for number, found in enumerate(_WORD.finditer(text)):
        word = found[0].lower()
        # "The costs are high": behind an article a noun comes first.
        is_noun = number == 1 and is_definite and word in _ALSO_NOUNS
        if number and word in VERBS and not is_noun:
            return Frame(text[: found.start()].rstrip(), word, found.start(), found.end())
        is_unclear = word in (_CLAUSES if number else UNCLEAR | _CLAUSES)
        if is_unclear or number == _MAX_SUBJECT or not word[0].isalnum():
            return None
    return None


def negations(text: str) -> list[str]:
    """Return the words of a text that negate something."""
    words = (word.strip(".,;:!?()\"'\u201c\u201d") for word in text.lower().split())
    return [word for word in words if may_negate(word)]


def capitalized(phrase: str) -> str:
    """Return a phrase with a capital at its beginning."""
    return phrase[0].upper() + phrase[1:]
