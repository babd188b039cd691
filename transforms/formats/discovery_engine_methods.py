"""Answers of Discovery Engine's other methods: checks, grounded content and summaries.

discoveryengine.check_grounding is a request to check an answer, from an archive of such calls,
.grounded_content the response of generateGroundedContent, .search_summary the summary of a response
of search, and .conversation the reply of converseConversation.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from msgspec.structs import replace

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.verdict import Tag
from groundwatch.schemas.wire import discovery_engine as discovery
from groundwatch.schemas.wire import discovery_engine_methods as wire
from groundwatch.schemas.wire import enums
from groundwatch.schemas.wire.json_input import has_any, list_in
from groundwatch.schemas.wire.wire_type import read_wire, wire_fields
from .discovery_engine_answers import names_of, read_response, support_at
from .fact_collection import FactCollection, first_text, render_value
from .format import Format, Reading, Request
from .gemini_candidates import joined_text

_GROUNDED_FIELDS = frozenset({"supportChunks", "groundingSupport"})
_SUMMARY_FIELDS = frozenset({"summaryText", "summaryWithMetadata", "summarySkippedReasons"})


def _read_check(request: Request) -> Reading:
    call = read_wire(request.value, wire.CheckCall)
    facts = FactCollection()
    for fact in call.facts:
        attributes = {name: render_value(value) for name, value in fact.attributes.items()}
        facts.add(
            fact.fact_text,
            uri=attributes.pop("uri", ""),
            title=attributes.pop("title", ""),
            attributes=attributes.items(),
        )
    answer = Answer(message=request.message, answer_text=call.answer_candidate, facts=facts.all())
    return answer, ""


CHECK_REQUEST = Format(
    name="discoveryengine.check_grounding",
    fields=frozenset(wire_fields(wire.CheckCall)),
    wire_of=lambda _: wire.CheckCall,
    detects=lambda fields: isinstance(fields.get("answerCandidate"), str),
    read=_read_check,
)


def _read_grounded_content(request: Request) -> Reading:
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
    read, token = read_response(discovery.AnswerQueryResponse(answer=answer), request)
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
        start, end = len(text[:found].encode()), len(text[:position].encode())
        yield support_at(start, end, claim.support_chunk_indices, claim.support_score)


def _is_grounded_content(fields: Mapping[str, Any]) -> bool:
    first = next(iter(list_in(fields, "candidates")), None)
    if not isinstance(first, dict):
        return False
    return "groundingScore" in first or has_any(first.get("groundingMetadata"), _GROUNDED_FIELDS)


GROUNDED_CONTENT = Format(
    name="discoveryengine.grounded_content",
    fields=frozenset({"candidates"}),
    wire_of=lambda _: wire.GroundedContentResponse,
    detects=_is_grounded_content,
    read=_read_grounded_content,
    can_be_chunk=True,
)


def _read_search(request: Request) -> Reading:
    found = read_wire(request.value, wire.SummaryResponse)
    response = discovery.AnswerQueryResponse(
        answer=_answer_of(found.summary),
        answer_query_token=found.attribution_token,
        query=found.query,
    )
    return read_response(response, request)


def _read_conversation(request: Request) -> Reading:
    found = read_wire(request.value, wire.ConversationResponse)
    inputs = (each.user_input.input for each in reversed(found.conversation.messages) if each)
    given = found.query if isinstance(found.query, str) else found.query.text
    response = discovery.AnswerQueryResponse(
        answer=_answer_of(found.reply.summary),
        query=next(filter(None, chain((given,), inputs)), ""),
    )
    answer, token = read_response(response, request)
    session = found.conversation.name.rpartition("/")[2]
    return replace(answer, session=session or None), token


def _answer_of(summary: wire.Summary) -> discovery.WireAnswer:
    detailed = summary.summary_with_metadata
    reasons = names_of(summary.summary_skipped_reasons, enums.SUMMARY_SKIPPED_REASONS)
    return discovery.WireAnswer(
        answer_text=first_text(detailed.summary, summary.summary_text),
        references=tuple(
            discovery.Reference(unstructured_document_info=each) for each in detailed.references
        ),
        citations=detailed.citation_metadata.citations,
        answer_skipped_reasons=reasons,
    )


def _has_summary(fields: Mapping[str, object]) -> bool:
    return has_any(fields.get("summary"), _SUMMARY_FIELDS)


SEARCH_SUMMARY = Format(
    name="discoveryengine.search_summary",
    fields=frozenset({"summary"}),
    wire_of=lambda _: wire.SummaryResponse,
    detects=_has_summary,
    read=_read_search,
)

CONVERSATION = Format(
    name="discoveryengine.conversation",
    fields=frozenset({"reply"}),
    wire_of=lambda _: wire.ConversationResponse,
    detects=lambda fields: isinstance(fields.get("reply"), dict) and _has_summary(fields["reply"]),
    read=_read_conversation,
)
