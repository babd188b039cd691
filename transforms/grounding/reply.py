"""A valid reply, its undocumented fields, and its stored form without any text."""

import re

import msgspec

from schemas import Record
from schemas.wire.grounding_check import CheckedClaim, CheckRequest, CheckResponse, CitedChunk

_RESPONSE = frozenset({"supportScore", "citedChunks", "citedFacts", "claims"})
_CLAIM = frozenset(
    {"startPos", "endPos", "claimText", "citationIndices", "groundingCheckRequired", "score"}
)
_CHUNK = frozenset({"chunkText", "source", "sourceMetadata", "index", "uri", "title", "domain"})
_DOCUMENTED = {name.encode() for name in _RESPONSE | _CLAIM | _CHUNK}
_NAME = re.compile(rb'"([A-Za-z_]\w*)"\s*:')

Fields = dict[str, msgspec.Raw]
_decode_fields = msgspec.json.Decoder(Fields).decode
_decode_claims = msgspec.json.Decoder(list[Fields]).decode
_NO_CLAIMS = msgspec.Raw(b"[]")


class CheckReply(Record, frozen=True, kw_only=True):
    """A valid reply.

    Attributes:
      response: the reply.
      attempts: requests sent for it; 0 if it came from the cache.
      unknown_members: JSON of its undocumented fields, None if there are none.
    """

    response: CheckResponse
    attempts: int
    unknown_members: str | None = None


def unknown_fields(body: bytes) -> str | None:
    """Return the undocumented fields of a reply and of its claims, as a JSON object.

    The service has sent experimental fields, such as contradictionScore, helpfulnessScore and a
    claim's antiCitationIndices.

    Args:
      body: a valid reply.

    Returns:
      The fields of claims are under ``claims``, by the claim's index. None if there are none.
    """
    # Most replies have none, and finding the names is far cheaper than decoding again.
    if _DOCUMENTED.issuperset(_NAME.findall(body)):
        return None
    reply = _decode_fields(body)
    unknown = _without(reply, _RESPONSE)
    claims = _decode_claims(reply.get("claims", _NO_CLAIMS))
    of_claims = {
        str(index): fields
        for index, claim in enumerate(claims)
        if (fields := _without(claim, _CLAIM))
    }
    if of_claims:
        unknown["claims"] = msgspec.Raw(msgspec.json.encode(of_claims))
    return msgspec.json.encode(unknown).decode() if unknown else None


def _without(fields: Fields, documented: frozenset[str]) -> Fields:
    return {name: value for name, value in fields.items() if name not in documented}


class _StoredClaim(msgspec.Struct, frozen=True, array_like=True):
    start: int
    end: int
    score: float | None
    is_check_required: bool | None
    citations: tuple[int, ...]


class _StoredReply(msgspec.Struct, frozen=True, array_like=True):
    """A reply without any text; `facts` are the indices of the facts of the cited chunks."""

    attempts: int
    support_score: float | None
    facts: tuple[int, ...]
    claims: tuple[_StoredClaim, ...]


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(_StoredReply)


def encode_reply(reply: CheckReply) -> bytes:
    """Encode the scores, offsets and indices of a reply, and no text."""
    response = reply.response
    claims = tuple(
        _StoredClaim(
            start=claim.start_pos,
            end=claim.end_pos,
            score=claim.score,
            is_check_required=claim.grounding_check_required,
            citations=claim.citation_indices,
        )
        for claim in response.claims
    )
    facts = tuple(int(chunk.source) for chunk in response.cited_chunks)
    return _encoder.encode(_StoredReply(reply.attempts, response.support_score, facts, claims))


def decode_reply(encoded: bytes, request: CheckRequest) -> CheckReply:
    """Decode a stored reply, and take its texts from its request.

    A cited chunk gets the text of its whole fact.
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
