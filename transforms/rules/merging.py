"""Merge the replies for one answer, with offsets into the whole answer."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from schemas.checked_answer import Claim, Grounding
from schemas.wire.grounding_check import CheckedClaim, CheckResponse
from transforms.rules.planning import FactPiece, PlannedCall, PlannedRecheck
from transforms.rules.support_score import support_score


def merge_replies(calls: Sequence[PlannedCall], replies: Sequence[CheckResponse]) -> Grounding:
    """Merge the first pass: the claims of all pieces, each with its best score of all fact groups.

    The replies are in the order of the calls. One call keeps the service's own support score; that
    of several is computed from the claims' scores.
    """
    answered = list(zip(calls, replies, strict=True))
    claims: dict[tuple[int, int], Claim] = {}
    for call, reply in answered:
        for claim in _claims(call, reply):
            span = claim.start, claim.end
            claims[span] = _join(claims[span], claim) if span in claims else claim
    merged = tuple(claims[span] for span in sorted(claims))
    if len(calls) == 1:
        return Grounding(support_score=replies[0].support_score, claims=merged)
    # The mean over the answer's pieces of the best score of all fact groups.
    best: dict[int, float] = {}
    for call, reply in answered:
        if reply.support_score is not None:
            start = call.answer.start
            best[start] = max(reply.support_score, best.get(start, 0.0))
    mean = sum(best.values()) / len(best) if best else None
    return _score_by_claims(Grounding(support_score=mean, claims=merged, recombined=True))


def merge_rechecks(
    grounding: Grounding, rechecks: Sequence[PlannedRecheck], replies: Sequence[CheckResponse]
) -> Grounding:
    """Merge the second pass, a reply for each recheck, into the first: the better score stays."""
    better = {
        (claim.start, claim.end): claim
        for recheck, reply in zip(rechecks, replies, strict=True)
        for claim in _rechecked_claims(recheck, reply)
    }
    claims = tuple(better.get((claim.start, claim.end), claim) for claim in grounding.claims)
    return _score_by_claims(replace(grounding, claims=claims))


def _claims(call: PlannedCall, reply: CheckResponse) -> Iterator[Claim]:
    answer = call.answer.text.encode()
    for wire in reply.claims:
        claim = Claim(
            text=answer[wire.start_pos : wire.end_pos].decode(),
            start=call.answer.start + wire.start_pos,
            end=call.answer.start + wire.end_pos,
            grounding_check_required=wire.grounding_check_required,
        )
        yield _with_score(claim, wire.score, _cited(wire, reply, call.facts))


def _rechecked_claims(recheck: PlannedRecheck, reply: CheckResponse) -> Iterator[Claim]:
    """Find each claim by its line; one that was split has the lowest score of its parts."""
    line_start = 0
    for claim in recheck.claims:
        line_end = line_start + len(claim.text.encode())
        parts = [wire for wire in reply.claims if line_start <= wire.start_pos < line_end]
        scores = [wire.score for wire in parts if wire.score is not None]
        if scores:
            cited = [found for wire in parts for found in _cited(wire, reply, recheck.facts)]
            yield _join(claim, _with_score(claim, min(scores), cited))
        line_start = line_end + len("\n")


def _cited(
    wire: CheckedClaim, reply: CheckResponse, facts: Sequence[FactPiece]
) -> Iterator[tuple[int, int]]:
    """Yield the index of each fact that a claim cites, with the start of its cited part."""
    for index in wire.citation_indices:
        piece = facts[int(reply.cited_chunks[index].source)]
        yield piece.fact, piece.start


def _join(first: Claim, second: Claim) -> Claim:
    """Join two results for a claim: the higher score, all citations, required if either is."""
    required = {first.grounding_check_required, second.grounding_check_required} - {None}
    scores = [claim.score for claim in (first, second) if claim.score is not None]
    cited = zip(
        first.citations + second.citations,
        first.citation_starts + second.citation_starts,
        strict=True,
    )
    joined = _with_score(first, max(scores, default=None), cited)
    return replace(joined, grounding_check_required=any(required) if required else None)


def _with_score(claim: Claim, score: float | None, cited: Iterable[tuple[int, int]]) -> Claim:
    """Set the score, and each cited fact with its lowest start."""
    lowest = dict(sorted(cited, reverse=True))
    starts = dict(sorted(lowest.items()))
    return replace(
        claim, score=score, citations=tuple(starts), citation_starts=tuple(starts.values())
    )


def _score_by_claims(grounding: Grounding) -> Grounding:
    """Compute the support score from the claims' scores; without any, keep it."""
    scores = grounding.required_scores
    return replace(grounding, support_score=support_score(scores)) if scores else grounding
