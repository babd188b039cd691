"""Dates of a claim that no fact tells."""

from collections.abc import Iterator

from schemas.verdict import ContradictionKind
from transforms.contradictions.dates import Date
from transforms.contradictions.difference import Difference
from transforms.contradictions.passages import Passages
from transforms.contradictions.sentence import Sentence
from transforms.contradictions.sources import Sources


def compare_dates(claim: Sentence, sources: Sources, passages: Passages) -> Iterator[Difference]:
    """Find dates that agree with no date of any fact; a part of a date agrees with the whole."""
    for date in claim.dates:
        if not (sources.has_phrase(date.text.lower()) or passages.tells_date(date)):
            yield _differs(date, claim, passages)


def _differs(date: Date, claim: Sentence, passages: Passages) -> Difference:
    passage = passages.nearest(claim)
    if passage is None or not passage.sentence.dates:
        return Difference(ContradictionKind.DATE, date.text)
    instead = max(passage.sentence.dates, key=date.shared_parts)
    return Difference(ContradictionKind.DATE, date.text, instead.text, passage.fact)
