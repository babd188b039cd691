"""Merge the replies for one answer, with offsets into the whole answer."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec.structs import asdict, replace

from groundwatch.schemas.checked_answer import Claim, Contradiction, Grounding
from groundwatch.schemas.wire.grounding_check import CheckResponse
from groundwatch.transforms.lexical.scores.support_score import support_score
from .planning import PlannedCall


def merge_replies(calls: Sequence[PlannedCall], replies: Sequence[CheckResponse]) -> Grounding:
    """Merge replies: the claims of all pieces, each with its best score of all fact groups.

    Of several claims of one reply over one span, the worst score stands.
    The replies are in the order of the calls. One call keeps the service's own support score; that
    of several is computed from the claims' scores.
    """
    answered = list(zip(calls, replies, strict=True))
    claims: dict[tuple[int, int], Claim] = {}
    for call, reply in answered:
        of_reply: dict[tuple[int, int], Claim] = {}
        for claim in _claims(call, reply):
            span = claim.start, claim.end
            of_reply[span] = _join(of_reply[span], claim, min) if span in of_reply else claim
        for span, claim in of_reply.items():
            claims[span] = _join(claims[span], claim, max) if span in claims else claim
    merged = tuple(claims[span] for span in sorted(claims))
    # The mean over the answer's pieces of the best score of all fact groups.
    best: dict[int, float] = {}
    for call, reply in answered:
        if reply.support_score is not None:
            start = call.answer.start
            best[start] = max(reply.support_score, best.get(start, reply.support_score))
    grounding = Grounding(
        support_score=sum(best.values()) / len(best) if best else None,
        claims=merged,
        recombined=len(calls) > 1,
        contradictions=_contradictions(answered, merged),
        unread_language=any(reply.unread_language for reply in replies),
        partly_compared=any(reply.partly_compared for reply in replies),
    )
    scores = grounding.required_scores if len(calls) > 1 else ()
    return replace(grounding, support_score=support_score(scores)) if scores else grounding


def _contradictions(
    answered: Sequence[tuple[PlannedCall, CheckResponse]], claims: Sequence[Claim]
) -> tuple[Contradiction, ...] | None:
    """Return what the checker found to contradict a fact; None if it never says so.

    A claim that scores better by the facts of another call is not contradicted.
    """
    if all(wire.mismatches is None for _, reply in answered for wire in reply.claims):
        return None
    number_of = {(claim.start, claim.end): number for number, claim in enumerate(claims)}
    found = []
    for call, reply in answered:
        for wire in reply.claims:
            start = call.answer.start
            number = number_of[start + wire.start_pos, start + wire.end_pos]
            if wire.mismatches and wire.score == claims[number].score:
                found += [
                    Contradiction(
                        claim=number, **asdict(each) | {"fact": call.facts[each.fact].fact}
                    )
                    for each in wire.mismatches
                ]
    return tuple(sorted(set(found), key=lambda each: each.claim))


def _claims(call: PlannedCall, reply: CheckResponse) -> Iterator[Claim]:
    answer = call.answer.text.encode()
    pieces = [call.facts[int(chunk.source)] for chunk in reply.cited_chunks]
    chunks = [(piece.fact, piece.start) for piece in pieces]
    for wire in reply.claims:
        citations, starts = _lowest_starts([chunks[index] for index in wire.citation_indices])
        yield Claim(
            text=answer[wire.start_pos : wire.end_pos].decode(),
            start=call.answer.start + wire.start_pos,
            end=call.answer.start + wire.end_pos,
            score=wire.score,
            grounding_check_required=wire.grounding_check_required,
            citations=citations,
            citation_starts=starts,
        )


def _join(first: Claim, second: Claim, choose: Callable[[Iterable[float]], float]) -> Claim:
    """Join two results for a claim: the chosen score, all citations, required if either is."""
    required = {first.grounding_check_required, second.grounding_check_required} - {None}
    scores = [claim.score for claim in (first, second) if claim.score is not None]
    cited = zip(
        first.citations + second.citations,
        first.citation_starts + second.citation_starts,
        strict=True,
    )
    citations, starts = _lowest_starts(list(cited))
    return replace(
        first,
        score=choose(scores) if scores else None,
        citations=citations,
        citation_starts=starts,
        grounding_check_required=any(required) if required else None,
    )


def _lowest_starts(cited: Sequence[tuple[int, int]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the cited facts in order, and the lowest start of each."""
    if len(cited) == 1:
        [(fact, start)] = cited
        return (fact,), (start,)
    lowest = dict(sorted(cited, reverse=True))
    facts = sorted(lowest)
    return tuple(facts), tuple([lowest[fact] for fact in facts])
