"""Read the statements that a sentence joins: "A, B and C must not be used", "it is X and not Y"."""

import re
from collections.abc import Iterator
from itertools import islice, takewhile
from operator import itemgetter

from groundwatch.transforms.lexical.facts.fact_sentences import ReadSentence, stem_of
from groundwatch.transforms.lexical.language.modality import is_light
from groundwatch.transforms.lexical.language.negations import MARKS, QUALIFIERS, UNIVERSAL
from groundwatch.transforms.lexical.language.words import read_words

_ADDING = "and|but|und|aber|et|mais|y|pero|e|mas"
# A set of characters at the front makes the searches fast.
_CLAUSE = re.compile(rf"[;,\s](?:(?<=;)\s|(?<=,)\s(?:{_ADDING}|which|so)\s|(?<=\s)(?:{_ADDING})\s)")
_JOINING = rf"(?:{_ADDING}|or|nor|oder|ou|o)\s"
_JOINT = re.compile(rf"[;,\s](?:(?<=,)\s(?:{_JOINING})?|(?<=;)\s|(?<=\s){_JOINING})")
_MAX_JOINTS = 12
_CONDITIONS = QUALIFIERS - UNIVERSAL - {"but"}


def clauses_of(text: str) -> list[str]:
    """Return the clauses of a text; none if it has only one, or a condition."""
    clauses = _CLAUSE.split(text.rstrip(MARKS), _MAX_JOINTS)
    is_conditional = clauses[1:] and not _CONDITIONS.isdisjoint(text.lower().split())
    return clauses if clauses[1:] and not is_conditional else []


def statements_about(own: ReadSentence, sentence: ReadSentence) -> Iterator[ReadSentence]:
    """Yield the statements of a sentence with several subjects, predicates or objects.

    Only those are yielded whose parts have words of a claim alone, or begin with them.
    """
    text = sentence.text
    joints = [match.span() for match in islice(_JOINT.finditer(text), _MAX_JOINTS)]
    predicate = next((each.start for each in sentence.tokens if is_light(each)), None)
    if not joints or predicate is None:
        return
    known = [(each, stem_of(each.form) in own.places) for each in sentence.content]
    shared = max((each.end for each, _ in takewhile(itemgetter(1), known)), default=0)
    starts, ends = [0, *(end for _, end in joints)], [*(start for start, _ in joints), len(text)]
    for start, end in zip(starts, ends, strict=True):
        is_known = [is_own for each, is_own in known if start <= each.start < end]
        if not any(is_known[:1]):
            continue
        if end <= predicate:
            if all(is_known):
                yield _read(f"{text[start:end]} {text[predicate:]}")
        elif start > shared > 0:
            says = [is_light(each) for each in sentence.tokens if start <= each.start < end]
            if any(says[:1]) if shared <= predicate else not any(says):
                yield _read(f"{text[:shared]} {text[start:end]}")


def _read(text: str) -> ReadSentence:
    return ReadSentence(text, read_words(text).signs)
