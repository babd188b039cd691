"""Replies of a check that are made by rule: valid, of usual size, of mixed scores, nearly free."""

import zlib
from collections.abc import Iterator

import msgspec

from groundwatch.schemas.wire.grounding_check import (
    CheckedClaim,
    CheckRequest,
    CheckResponse,
    CitedChunk,
)
from groundwatch.transforms.grounding.protocol import HttpReply
from groundwatch.transforms.lexical.reading.answer_sentences import split_sentences

_SUPPORTED, _DOUBTFUL, _UNSUPPORTED = 0.9, 0.5, 0.2
_PERCENT_DOUBTFUL, _PERCENT_LOW = 13, 27
"""Of the claims, and of the answers: these have an unsupported claim."""

_decode = msgspec.json.Decoder(CheckRequest).decode
_encode = msgspec.json.Encoder().encode


def made_score(answer_text: str) -> float:
    """The support score that is made up for an answer: 0.6 to 1, another one for nearly each."""
    return 0.6 + zlib.crc32(answer_text.encode()) % 400_000 / 1_000_000


def _percentile(text: str) -> int:
    return zlib.crc32(text.encode()) % 100


def made_reply(_method: str, _path: str, body: bytes) -> HttpReply:
    """Reply to a check: every sentence is a claim, which the facts support in turn, or not.

    One score for all would hide what low claims cost.
    """
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
    return HttpReply(status=200, body=_encode(response))


def _claims(text: str) -> Iterator[CheckedClaim]:
    is_low = _percentile(text) < _PERCENT_LOW
    for number, sentence in enumerate(split_sentences(text)):
        is_doubtful = _percentile(sentence.text) < _PERCENT_DOUBTFUL
        score = _DOUBTFUL if is_doubtful else _SUPPORTED
        yield CheckedClaim(
            start_pos=sentence.start_byte,
            end_pos=sentence.end_byte,
            claim_text=sentence.text,
            citation_indices=(number,),
            grounding_check_required=True,
            score=_UNSUPPORTED if is_low and not number else score,
        )
