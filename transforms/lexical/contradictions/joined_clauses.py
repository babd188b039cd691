"""Read the statements that a sentence joins: "A, B and C must not be used", "it is X and not Y"."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from operator import itemgetter

from groundwatch.transforms.lexical.facts.fact_sentences import ReadSentence, stem_of
from groundwatch.transforms.lexical.language.modality import LIGHT, is_light
from groundwatch.transforms.lexical.language.negations import JOINED, MARKS, QUALIFIERS, UNIVERSAL
from groundwatch.transforms.lexical.language.words import Token, TokenKind, read_words

_ADDING = "and|but|und|aber|et|mais|y|pero|e|mas"
# A set of characters at the front makes the searches fast.
_CLAUSE = re.compile(rf"[;,\s](?:(?<=;)\s|(?<=,)\s(?:{_ADDING}|which|so)\s|(?<=\s)(?:{_ADDING})\s)")
_JOINING = rf"(?:{_ADDING}|or|nor|oder|ou|o|ni|né|nem|noch)\s"
_JOINT = re.compile(rf"[;,\s](?:(?<=,)\s(?:{_JOINING})?|(?<=;)\s|(?<=\s){_JOINING})")
# What stands behind one of these is not negated by what stands in front.
_AGAINST = re.compile(r"\s(?:but|aber|sondern|mais|pero|sino|mas|ma|maar)\s")
_MAX_JOINTS = 12
_CONDITIONS = QUALIFIERS - UNIVERSAL - {"but"}
# "Without", "lacks" and the like have their own object.
_NOT = ("not", "n't", "n\u2019t", "nicht", "pas", "plus", "non", "não", "niet")
_DO = frozenset(["do", "does", "did"])


def clauses_of(text: str) -> list[str]:
    """Return the clauses of a text; none if it has only one, or a condition."""
    clauses = _CLAUSE.split(text.rstrip(MARKS), _MAX_JOINTS)
    is_conditional = clauses[1:] and not _CONDITIONS.isdisjoint(text.lower().split())
    whole = [each for each in clauses if not each.lower().startswith(("neither ", "nor "))]
    return whole if clauses[1:] and not is_conditional else []


def statements_about(claim: ReadSentence, sentence: ReadSentence) -> Iterator[ReadSentence]:
    """Yield the statements of a sentence with several subjects, predicates or objects.

    Only those are yielded whose parts have words of a claim alone, or begin with them.
    """
    text = sentence.text
    joints = [match.span() for match in islice(_JOINT.finditer(text), _MAX_JOINTS)]
    negating = {start for start, _ in sentence.negations} if joints else set()
    lights = [each for each in sentence.tokens if is_light(each) or each.start in negating]
    if not (joints and lights and sentence.content):
        return
    predicate, lead = lights[0].start, ""
    if lights[0] is sentence.tokens[0]:  # "Neither A nor B is", "all A and B are"
        lead = text[: lights[0].end] + " "
        opening = sentence.content[0].start
        predicate = next((each.start for each in lights if each.start > opening), predicate)
    known = [(each, stem_of(each.form) in claim.places) for each in sentence.content]
    begun = _begun(claim, sentence, lights)
    shared = max((each.end for each, _ in takewhile(itemgetter(1), known)), default=begun)
    starts, ends = [0, *(end for _, end in joints)], [*(start for start, _ in joints), len(text)]
    for start, end in zip(starts, ends, strict=True):
        is_known = [is_own for each, is_own in known if start <= each.start < end]
        if not any(is_known[:1]):
            continue
        if end <= predicate:
            if all(is_known):
                yield _read(f"{lead * (start > 0)}{text[start:end]} {text[predicate:]}")
        elif begun and start == 0 and all(is_known):
            yield _read(text[:end])
        elif lead and 0 < start < predicate:
            yield _read(lead + text[start:end])
        elif start > shared > 0 and (
            before := _place_before(sentence, (start, end), (shared, predicate), lights)
        ):
            yield _read(f"{text[:before]} {text[start:end]}")


def _begun(claim: ReadSentence, sentence: ReadSentence, lights: Sequence[Token]) -> int:
    """Return where "We accept" ends, in front of all that is accepted; 0 if a claim is not of one.

    The claim has one word of content, and no other subject.
    """
    if len(claim.content) != 1:
        return 0
    end = max([each.end for each in lights if each.end <= sentence.content[0].start], default=0)
    begin = {each.lower for each in sentence.tokens if each.end <= end}
    words = {each.lower for each in claim.tokens if not (each.kind or is_light(each))}
    return end if words <= begin | _DO else 0


def _place_before(
    sentence: ReadSentence, part: tuple[int, int], ends: tuple[int, int], lights: Sequence[Token]
) -> int:
    """Return up to where a sentence belongs in front of a part of it: "A is B, C and D"."""
    (start, end), (shared, predicate) = part, ends
    words = [each for each in sentence.tokens if start <= each.start < end]
    says = [is_light(each) for each in words]
    begins = any(says[:1]) or (words[0].lower in _DO and any(says[1:2]))
    if begins if shared <= predicate else not any(says):
        return shared
    last = [each for each in lights if each.end <= start][-1:]
    if not last or any(says) or words[0].kind != TokenKind.WORD:
        return 0
    place, word = last[0].end, last[0].lower
    is_verb = word in LIGHT or word in JOINED or word.endswith(_NOT)
    return place if is_verb and not _AGAINST.search(sentence.text, place, start) else 0


def _read(text: str) -> ReadSentence:
    return ReadSentence(text, read_words(text).signs)
