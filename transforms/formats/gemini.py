"""Read the wire types of the Gemini API and Vertex AI as an answer."""

from schemas.answer import Answer
from schemas.verdict import Tag
from schemas.wire import enums
from schemas.wire import gemini as wire
from transforms.formats.facts import FactCollection
from transforms.formats.gemini_facts import (
    add_attributions,
    add_chunk,
    add_passages,
    chunk_text,
    joined_text,
)
from transforms.formats.gemini_supports import (
    FactsByChunk,
    read_recitations,
    read_supports,
    recitations,
    support_citations,
)
from transforms.formats.noticing import true_tags
from transforms.formats.ratings import read_ratings
from transforms.formats.reading import Reading, Request

_NO_REQUEST = wire.GenerateAnswerRequest()
_NO_FEEDBACK = wire.Feedback()


def is_candidate(value: object) -> bool:
    """Return whether a JSON value is a candidate: content with parts, or a finish reason."""
    if not isinstance(value, dict):
        return False
    content = value.get("content")
    return (isinstance(content, dict) and "parts" in content) or "finishReason" in value


def read_candidate(
    candidate: wire.Candidate,
    request: Request,
    source_format: str,
    *,
    names: enums.CandidateEnums,
    asked: wire.GenerateAnswerRequest = _NO_REQUEST,
    feedback: wire.Feedback = _NO_FEEDBACK,
) -> Reading:
    """Read a candidate with the request it answers and the feedback on its prompt."""
    facts, chunks = _facts(candidate, asked)
    metadata, text = candidate.grounding_metadata, joined_text(candidate.content)
    supports = read_supports(metadata.grounding_supports, candidate.content, chunks)
    sources = recitations(candidate.citation_metadata)
    recited = read_recitations(sources, text.encode()) if sources else ()
    given = len(metadata.grounding_supports) + len(sources)
    return Reading(
        answer=Answer(
            message=request.message,
            record_id="",
            source_format=source_format,
            query=_query(asked),
            answer_text=text,
            finish_reason=enums.enum_name(candidate.finish_reason, names.finish_reasons),
            block_reason=enums.enum_name(feedback.block_reason, names.block_reasons),
            safety_ratings=read_ratings(
                candidate.safety_ratings + feedback.safety_ratings, names.harm_categories
            ),
            facts=facts.all(),
            citations=support_citations(supports) + recited,
            supports=supports,
            tags=true_tags({Tag.BAD_OFFSETS: len(supports) + len(recited) < given}),
        ),
    )


def _facts(
    candidate: wire.Candidate, asked: wire.GenerateAnswerRequest
) -> tuple[FactCollection, FactsByChunk]:
    """The passages asked with, if there are any, else all that the candidate quotes."""
    facts = FactCollection()
    chunks = candidate.grounding_metadata.grounding_chunks
    if asked.inline_passages.passages:
        add_passages(asked.inline_passages, facts)
        return facts, tuple(facts.find(chunk_text(chunk)) for chunk in chunks)
    add_attributions(candidate, facts)
    return facts, tuple(add_chunk(chunk, facts) for chunk in chunks)


def _query(asked: wire.GenerateAnswerRequest) -> str | None:
    """The last thing the user said, else what was searched for."""
    said = [
        joined_text(content)
        for content in filter(None, asked.contents)
        if content.role in ("", "user")
    ]
    return (
        next(filter(None, reversed(said)), None)
        or joined_text(asked.semantic_retriever.query)
        or None
    )
