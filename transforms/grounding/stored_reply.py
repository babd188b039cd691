"""Encode a reply without its texts, and decode it with those of its request."""

import msgspec
from msgspec.structs import replace

from groundwatch.schemas.wire.grounding_check import (
    CheckedClaim,
    CheckRequest,
    CheckResponse,
    CitedChunk,
)
from groundwatch.transforms.lexical.check_claims import find_contradictions
from .protocol import CheckReply


class _StoredReply(msgspec.Struct, array_like=True):
    """A reply without its texts; 2.0.0 stored no revision."""

    attempts: int
    response: CheckResponse
    revision: str | None = None


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_StoredReply).decode


def encode_reply(reply: CheckReply) -> bytes:
    """Encode the revision, scores, offsets and indices of a reply, and no text."""
    response = reply.response
    chunks = tuple(CitedChunk(source=chunk.source) for chunk in response.cited_chunks)
    claims = tuple(map(_without_text, response.claims))
    response = replace(response, cited_chunks=chunks, claims=claims)
    return _encode(_StoredReply(reply.attempts, response, reply.revision))


def _without_text(claim: CheckedClaim) -> CheckedClaim:
    found = claim.mismatches and tuple(
        [replace(each, claim_value="", fact_value="") for each in claim.mismatches]
    )
    return replace(claim, claim_text="", mismatches=found)


def _with_text(
    claim: CheckedClaim, answer: bytes, request: CheckRequest, *, is_first: bool
) -> CheckedClaim:
    text = answer[claim.start_pos : claim.end_pos].decode()
    if not claim.mismatches:
        return replace(claim, claim_text=text)
    described = [(fact.fact_text, fact.attributes) for fact in request.facts]
    [found] = find_contradictions([text], described, request.query, is_first=is_first)
    values = {(each.kind, each.fact): each for each in found}
    return replace(
        claim,
        claim_text=text,
        mismatches=tuple(
            [
                replace(each, claim_value=value.claim_value, fact_value=value.fact_value)
                if (value := values.get((each.kind, each.fact)))
                else each
                for each in claim.mismatches
            ]
        ),
    )


def decode_reply(encoded: bytes, request: CheckRequest) -> CheckReply:
    """Decode a stored reply, and take its texts from its request.

    A cited chunk gets the text of its whole fact. The values of mismatches are found again.
    """
    found = _decode(encoded)
    stored = found.response
    answer, facts = request.answer_candidate.encode(), request.facts
    chunks = tuple(
        replace(chunk, chunk_text=facts[int(chunk.source)].fact_text)
        for chunk in stored.cited_chunks
    )
    claims = []
    is_first = True
    for claim in stored.claims:
        claims.append(_with_text(claim, answer, request, is_first=is_first))
        # Only the first statement of an answer may be a short one.
        is_first = is_first and not claim.grounding_check_required
    response = replace(stored, cited_chunks=chunks, claims=tuple(claims))
    return CheckReply(response=response, attempts=found.attempts, revision=found.revision)
