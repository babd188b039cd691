"""Find limits where the sentence in which a claim stands has the opposite: "up to 4", "over 4"."""

from collections.abc import Iterator, Sequence

from groundwatch.schemas.verdict import ContradictionKind
from groundwatch.transforms.lexical.facts.fact_sentences import ReadSentence
from groundwatch.transforms.lexical.values.limits import Limit, limit_of
from .difference import ComparedClaim, Difference
from .differing_values import Near
from .matching import match_in_order

_MIN_WORDS = 2


def find_opposite_limits(own: ComparedClaim, near: Sequence[Near]) -> Iterator[Difference]:
    """Find limits of a claim that a sentence with all its other words has as the opposite.

    Where one of them denies something, both may say the same.
    """
    if own.negations:
        return
    for value in own.values_of_its_own:
        limit = limit_of(own.text, value)
        if not limit:
            continue
        words = _words_beside(limit, own)
        for each in near:
            sentence = each.sentence
            equal = list(filter(value.equals, sentence.values))
            if len(equal) != 1 or sentence.negations:
                continue
            matched = match_in_order(own, sentence)
            if not matched.words or matched.words < words or not matched.is_compact:
                continue
            other = limit_of(sentence.text, equal[0])
            if not other or other.is_most == limit.is_most:
                break
            if words >= _MIN_WORDS or words == _words_beside(other, sentence):
                texts = own.text[limit.start : limit.end], sentence.text[other.start : other.end]
                yield Difference(ContradictionKind.NUMBER, *texts, each.fact)
            break


def _words_beside(limit: Limit, sentence: ReadSentence) -> int:
    return sum(not limit.start <= token.start < limit.end for token in sentence.content)
