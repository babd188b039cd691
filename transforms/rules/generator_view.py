"""The generator's own view of an answer beside the check's: citations and scores by claim."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from schemas import Record
from schemas.answer import Citation, GroundingSupport
from schemas.checked_answer import Claim


class CitedFacts(Record, frozen=True, kw_only=True):
    """How the citations of an answer compare with what the check found.

    Attributes:
      precision: of the facts cited for claims, the share that supports them, 0..1, each fact
        counted with each claim; None where none is cited for a claim that required a check.
      recall: of the facts that support claims, the share that is cited for them, 0..1; None where
        the answer cites nothing, or nothing is supported.
      mismatch: whether facts are cited for some claim, and only others support it.
    """

    precision: float | None = None
    recall: float | None = None
    mismatch: bool = False


def compare_citations(citations: Sequence[Citation], claims: Sequence[Claim]) -> CitedFacts:
    """Hold an answer's citations to the facts that the check found to support its claims.

    Args:
      citations: the answer's own.
      claims: as checked; one that required no check, or has no score, is passed over.
    """
    if not citations:
        return CitedFacts()
    cited = supporting = both = 0
    mismatch = False
    for claim in claims:
        by_answer, by_check = _cited_for(claim, citations), set(claim.citations)
        mismatch = mismatch or bool(by_answer and by_check and by_answer.isdisjoint(by_check))
        if claim.required_score is not None:
            cited += len(by_answer)
            supporting += len(by_check)
            both += len(by_answer & by_check)
    return CitedFacts(
        precision=both / cited if cited else None,
        recall=both / supporting if supporting else None,
        mismatch=mismatch,
    )


def with_generator_scores(
    claims: Sequence[Claim], supports: Sequence[GroundingSupport]
) -> Iterator[Claim]:
    """Put beside each claim the score of the generator's support that covers most of it."""
    scored = [support for support in supports if support.score is not None]
    for claim in claims:
        nearest = max(scored, key=lambda support: _shared(claim, support), default=None)
        if nearest and _shared(claim, nearest) > 0:
            yield replace(claim, generator_score=nearest.score)
        else:
            yield claim


def _cited_for(claim: Claim, citations: Sequence[Citation]) -> set[int]:
    return {
        fact for citation in citations if _shared(claim, citation) > 0 for fact in citation.facts
    }


def _shared(claim: Claim, stretch: Citation | GroundingSupport) -> int:
    """How many bytes a claim and a stretch of the answer share; 0 or less for none."""
    return min(claim.end, stretch.end) - max(claim.start, stretch.start)
