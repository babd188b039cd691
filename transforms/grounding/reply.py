"""A reply that is valid, and its form on disk, which holds no text."""

import msgspec

from schemas import Record
from schemas.wire.grounding_check import CheckedClaim, CheckRequest, CheckResponse, CitedChunk


class CheckReply(Record, frozen=True, kw_only=True):
    """A valid reply, and what it took.

    Attributes:
      response: the reply.
      attempts: requests sent for it; 0 when it had been paid for before.
      unknown_members: JSON of what no page describes, None where there is none.
    """

    response: CheckResponse
    attempts: int
    unknown_members: str | None = None


class _Claim(msgspec.Struct, frozen=True, array_like=True):
    """A claim without its text: offsets, score and citations."""

    start: int
    end: int
    score: float | None
    is_check_required: bool | None
    citations: tuple[int, ...]


class _Reply(msgspec.Struct, frozen=True, array_like=True):
    """A reply without any text; `facts` are the indices of the facts of the cited chunks."""

    attempts: int
    support_score: float | None
    facts: tuple[int, ...]
    claims: tuple[_Claim, ...]


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(_Reply)


def encode_reply(reply: CheckReply) -> bytes:
    """Encode a reply without any text: its scores, offsets and indices."""
    response = reply.response
    return _encoder.encode(
        _Reply(
            attempts=reply.attempts,
            support_score=response.support_score,
            facts=tuple(int(chunk.source) for chunk in response.cited_chunks),
            claims=tuple(
                _Claim(
                    start=claim.start_pos,
                    end=claim.end_pos,
                    score=claim.score,
                    is_check_required=claim.grounding_check_required,
                    citations=claim.citation_indices,
                )
                for claim in response.claims
            ),
        )
    )


def decode_reply(encoded: bytes, request: CheckRequest) -> CheckReply:
    """Decode a reply and take its texts from the request: each cited chunk is its whole fact.

    Args:
      encoded: by `encode_reply`.
      request: the one that the reply belongs to.
    """
    stored = _decoder.decode(encoded)
    answer = request.answer_candidate.encode()
    response = CheckResponse(
        support_score=stored.support_score,
        cited_chunks=tuple(
            CitedChunk(chunk_text=request.facts[fact].fact_text, source=str(fact))
            for fact in stored.facts
        ),
        claims=tuple(
            CheckedClaim(
                start_pos=claim.start,
                end_pos=claim.end,
                claim_text=answer[claim.start : claim.end].decode(),
                citation_indices=claim.citations,
                grounding_check_required=claim.is_check_required,
                score=claim.score,
            )
            for claim in stored.claims
        ),
    )
    return CheckReply(response=response, attempts=stored.attempts)
