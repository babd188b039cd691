"""Give the values of a claim the spelling that the facts have: "14:00" where they have "2 pm"."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from groundwatch.transforms.lexical.facts.fact_sentences import VALUE_FORMS, sentences_of
from groundwatch.transforms.lexical.language.words import VALUE, ClaimWords, read_words
from groundwatch.transforms.lexical.values.value import Value

_MAX_FACT_CHARS = 20_000
"""Of facts whose values are read; larger ones are compared as they are spelled."""


def with_spelling_of_facts(
    claim: ClaimWords, missing: AbstractSet[str], facts: Sequence[str]
) -> ClaimWords | None:
    """Return a claim with the spellings of the facts, of which words are missing; None if equal.

    Also None if only function words would be left, such as "un an" of "12 mois".
    """
    if not claim.signs & VALUE:
        return None
    missed = claim.distinct & missing
    if missed.isdisjoint(claim.numbers) and missed.isdisjoint(VALUE_FORMS):
        return None
    if sum(map(len, facts)) > _MAX_FACT_CHARS:
        return None
    text, place = [], 0
    for value in claim.values:
        spelled = claim.text[value.start : value.end]
        if value.start < place or missed.isdisjoint(read_words(spelled).forms):
            continue
        if equal := _equal(value, facts):
            text += [claim.text[place : value.start], equal]
            place = value.end
    if not place:
        return None
    changed = "".join([*text, claim.text[place:]])
    respelled = ClaimWords.of(changed)
    return respelled if respelled.content else None


def _equal(value: Value, facts: Sequence[str]) -> str | None:
    for fact in facts:
        for sentence, other in sentences_of(fact).values:
            if not (value.is_implied and other.is_implied) and value.is_said_by(other):
                return sentence[other.start : other.end]
    return None
