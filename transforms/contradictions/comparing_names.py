"""Names of a claim in whose place the facts have another."""

from collections.abc import Iterator

from schemas.verdict import ContradictionKind
from transforms.contradictions.difference import Difference
from transforms.contradictions.names import Name
from transforms.contradictions.passages import Passages
from transforms.contradictions.sentence import Sentence
from transforms.contradictions.sources import Sources


def compare_names(claim: Sentence, sources: Sources, passages: Passages) -> Iterator[Difference]:
    """Find names that stand in no fact, and in whose place the nearest sentence has another.

    A name that is merely added is none of them: the claim's score tells of that.
    """
    if not sources.lacks_any(claim.signs.capitals):
        return
    for name in claim.names:
        if not sources.lacks_any(token.word.lower for token in name.tokens):
            continue
        passage = passages.nearest(claim)
        instead = _instead(name, claim, passage.sentence) if passage else None
        if passage and instead:
            yield Difference(ContradictionKind.NAME, name.text, instead.text, passage.fact)


def _instead(name: Name, claim: Sentence, sentence: Sentence) -> Name | None:
    others = (
        other
        for other in sentence.names
        if any(token.form not in claim.forms for token in other.tokens)
    )
    return next(filter(name.stands_like, others), None)
