"""Find a claim that denies what a similar sentence states, also with another form of the verb.

Such a contradiction only tags an answer. It does not change a score.
"""

from schemas.verdict import ContradictionKind
from transforms.contradictions.compared_facts import ComparedFacts, Difference, FactSentence
from transforms.contradictions.parsed_sentence import ParsedSentence, denials_in, has_negation
from transforms.rules.phrases import refuses

_MIN_WORDS = 2  # beside the negated word
# The share of the claim's other words in a sentence that states what the claim denies, and in one
# that denies something itself and so may agree with the claim.
_STATED, _DENIED = 0.6, 0.5


def find_denial(claim: str, facts: ComparedFacts) -> Difference | None:
    """Find a negation of a claim that no similar sentence of the facts has."""
    lower = claim.lower()
    if not has_negation(lower):
        return None
    parsed = ParsedSentence(claim)
    form, text = next(iter(parsed.negated.items()), ("", ""))
    words = parsed.content - {form}
    if not form or len(words) < _MIN_WORDS or not facts.may_share(words, _STATED):
        return None
    nearest = _nearest_statement(words, denials_in(lower), facts.passages_near(parsed).all)
    if nearest is None or facts.has_sentence(claim) or refuses(claim):
        return None
    sentence, fact = nearest
    return Difference(
        ContradictionKind.NEGATION, text, sentence.spelling(form) or sentence.text, fact
    )


def _nearest_statement(
    words: frozenset[str], denials: frozenset[str], sentences: list[FactSentence]
) -> FactSentence | None:
    """Return the first sentence with most of some words, None if a similar one denies anything."""
    nearest, most = None, 0
    spelled = [word for word in words if not word[0].isdigit()]
    least = _DENIED * len(words) - (len(words) - len(spelled))
    for each in sentences:
        lower = each.sentence.lower
        if sum(map(lower.__contains__, spelled)) < least:
            continue
        shared = len(words & each.sentence.content)
        # "Without" may say what "not" says, but the claim has the same "without".
        if shared >= _DENIED * len(words) and (
            has_negation(lower) or not denials_in(lower) <= denials
        ):
            return None
        if shared > most:
            nearest, most = each, shared
    return nearest if most >= _STATED * len(words) else None
