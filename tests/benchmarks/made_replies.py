"""Replies of a check that are made by rule: valid, of a usual size, and almost free to make."""

import re
import zlib
from collections.abc import Iterator

import msgspec

from schemas.wire.grounding_check import CheckedClaim, CheckRequest, CheckResponse, CitedChunk
from transforms.grounding.local.service import Reply

_CLAIM_SCORE = 0.9
_SENTENCE_END = re.compile(r"(?<=\.)\s")
_decode = msgspec.json.Decoder(CheckRequest).decode
_encode = msgspec.json.Encoder().encode


def made_score(answer_text: str) -> float:
    """The support score that is made up for an answer: 0.6 to 1, another one for nearly each."""
    return 0.6 + zlib.crc32(answer_text.encode()) % 400_000 / 1_000_000


def made_reply(_method: str, _path: str, body: bytes) -> Reply:
    """Reply to a check: every sentence is a claim, which the facts support in turn."""
    request = _decode(body)
    claims = tuple(_claims(request.answer_candidate))
    response = CheckResponse(
        support_score=made_score(request.answer_candidate),
        claims=claims,
        cited_chunks=tuple(
            CitedChunk(chunk_text=claim.claim_text, source=str(number % len(request.facts)))
            for number, claim in enumerate(claims)
        ),
    )
    return Reply(status=200, body=_encode(response))


def _claims(text: str) -> Iterator[CheckedClaim]:
    start_byte = 0
    for number, claim_text in enumerate(_SENTENCE_END.split(text)):
        end_byte = start_byte + len(claim_text.encode())
        yield CheckedClaim(
            start_pos=start_byte,
            end_pos=end_byte,
            claim_text=claim_text,
            citation_indices=(number,),
            grounding_check_required=True,
            score=_CLAIM_SCORE,
        )
        start_byte = end_byte + 1
