"""discoveryengine.grounded_content: the response of generateGroundedContent."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from schemas.verdict import Tag
from schemas.wire import discovery_engine as discovery
from schemas.wire import earlier_answers as wire
from schemas.wire.wire_type import read_wire
from transforms.formats.discovery_engine_answers import read_response
from transforms.formats.format import Format, Reading, Request
from transforms.formats.gemini_candidates import joined_text

_GROUNDED_FIELDS = frozenset({"supportChunks", "groundingSupport"})


def _read(request: Request) -> Reading:
    candidates = read_wire(request.value, wire.GroundedContentResponse).candidates
    candidate = candidates[0] if candidates else wire.GroundedCandidate()
    metadata, text = candidate.grounding_metadata, joined_text(candidate.content)
    supports = tuple(_supports(metadata.grounding_support, text))
    answer = discovery.WireAnswer(
        answer_text=text,
        references=tuple(map(_to_reference, metadata.support_chunks)),
        citations=supports,
        grounding_supports=supports,
        grounding_score=candidate.grounding_score,
    )
    response = discovery.AnswerQueryResponse(answer=answer)
    read, token = read_response(response, request, GROUNDED_CONTENT.name)
    several = (Tag.MULTIPLE_CANDIDATES,) if len(candidates) > 1 else ()
    return replace(read, tags=(*read.tags, *several)), token


def _to_reference(chunk: wire.SupportChunk) -> discovery.Reference:
    origin = discovery.Document(uri=chunk.uri, title=chunk.title, document=chunk.source)
    return discovery.Reference(
        chunk_info=discovery.Chunk(content=chunk.chunk_text, document_metadata=origin)
    )


def _supports(
    claims: tuple[wire.GroundedClaim | None, ...], text: str
) -> Iterator[discovery.WireSupport]:
    """Find the claims, which have no offsets, one after another in the text."""
    position = 0
    for claim in filter(None, claims):
        found = text.find(claim.claim_text, position)
        if not claim.claim_text or found < 0:
            continue
        position = found + len(claim.claim_text)
        yield discovery.WireSupport(
            start_index=len(text[:found].encode()),
            end_index=len(text[:position].encode()),
            sources=tuple(
                discovery.CitationSource(reference_id=index)
                for index in claim.support_chunk_indices
                if index is not None
            ),
            grounding_score=claim.support_score,
        )


def _is_grounded_content(fields: Mapping[str, Any]) -> bool:
    candidates = fields.get("candidates")
    first = candidates[0] if isinstance(candidates, list) and candidates else None
    if not isinstance(first, dict):
        return False
    metadata = first.get("groundingMetadata")
    return "groundingScore" in first or (
        isinstance(metadata, dict) and not _GROUNDED_FIELDS.isdisjoint(metadata)
    )


GROUNDED_CONTENT = Format(
    name="discoveryengine.grounded_content",
    fields=frozenset({"candidates"}),
    wire_of=lambda _: wire.GroundedContentResponse,
    detects=_is_grounded_content,
    read=_read,
    can_be_chunk=True,
)
