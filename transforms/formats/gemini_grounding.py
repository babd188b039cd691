"""Read the facts of a Gemini answer and which of them support which span."""

from schemas.answer import Citation, GroundingSupport
from schemas.wire import gemini as wire
from transforms.formats.fact_collection import FactCollection, page_attribute
from transforms.formats.field_values import proportion
from transforms.rules.spans import is_valid_span

FactsByChunk = tuple[tuple[int, ...], ...]
"""The indices of each grounding chunk's facts, by the chunk's index."""


def joined_text(content: wire.Content, separator: str = "") -> str:
    """Join the text of a content's parts, without thoughts."""
    return separator.join(part.text for part in content.parts if part.text and not part.thought)


def read_facts(
    candidate: wire.Candidate, passages: wire.GroundingPassages
) -> tuple[FactCollection, FactsByChunk]:
    """Collect the passages of the request; if it has none, all texts that the candidate quotes."""
    facts = FactCollection()
    chunks = candidate.grounding_metadata.grounding_chunks
    for passage in passages.passages:
        facts.add(joined_text(passage.content, "\n"), document=passage.id)
    if passages.passages:
        return facts, tuple(facts.find(_chunk_text(chunk)) for chunk in chunks)
    for attribution in candidate.grounding_attributions:
        source = attribution.source_id
        facts.add(
            joined_text(attribution.content, "\n"),
            document=source.grounding_passage.passage_id or source.semantic_retriever_chunk.chunk,
        )
    return facts, tuple(_add_chunk(chunk, facts) for chunk in chunks)


def read_supports(
    supports: tuple[wire.GeminiSupport | None, ...],
    content: wire.Content,
    chunks: FactsByChunk,
) -> tuple[GroundingSupport, ...]:
    """Read the supports whose segments fit their parts, with offsets into the whole answer.

    A support's score is the best of its chunks' scores.
    """
    if not supports:
        return ()
    spans = _part_spans(content)
    answer = b"".join(part.text.encode() for part in content.parts if not part.thought)
    read = (_read_support(support, spans, answer, chunks) for support in supports if support)
    return tuple(support for support in read if support is not None)


def read_recitations(
    metadata: wire.CitationMetadata, answer: str
) -> tuple[tuple[Citation, ...], bool]:
    """Read the recited spans as citations without facts, because they have no text.

    Returns:
      The spans that fit the answer, and whether all that have offsets fit.
    """
    sources = [
        source
        for source in metadata.citation_sources + metadata.citations
        if source is None or (source.start_index, source.end_index) != (None, None)
    ]
    text = answer.encode() if sources else b""
    spans = [(each.start_index or 0, each.end_index or 0) for each in sources if each]
    fitting = [span for span in spans if is_valid_span(text, *span)]
    citations = tuple(Citation(start=start, end=end) for start, end in fitting)
    return citations, len(citations) == len(sources)


def _add_chunk(chunk: wire.GroundingChunk | None, facts: FactCollection) -> tuple[int, ...]:
    if chunk and (context := chunk.retrieved_context):
        return facts.add(
            _chunk_text(chunk),
            uri=context.uri,
            title=context.title,
            document=context.document_name,
            attributes=page_attribute(
                context.page_number or context.rag_chunk.page_span.first_page
            ),
        )
    if chunk and (place := chunk.maps):
        return facts.add(place.text, uri=place.uri, title=place.title, document=place.place_id)
    return ()


def _chunk_text(chunk: wire.GroundingChunk | None) -> str:
    if chunk and (context := chunk.retrieved_context):
        return context.text or context.rag_chunk.text
    return chunk.maps.text if chunk and chunk.maps else ""


def _part_spans(content: wire.Content) -> list[range | None]:
    """List the bytes of the answer that each part has; None for a thought."""
    spans: list[range | None] = []
    position = 0
    for part in content.parts:
        end = position if part.thought else position + len(part.text.encode())
        spans.append(None if part.thought else range(position, end))
        position = end
    return spans


def _read_support(
    support: wire.GeminiSupport, spans: list[range | None], answer: bytes, chunks: FactsByChunk
) -> GroundingSupport | None:
    segment = support.segment
    part = spans[segment.part_index] if 0 <= segment.part_index < len(spans) else None
    if part is None or not 0 <= segment.start_index <= segment.end_index <= len(part):
        return None
    start, end = part.start + segment.start_index, part.start + segment.end_index
    if not is_valid_span(answer, start, end):
        return None
    cited = [
        chunks[index]
        for index in support.grounding_chunk_indices
        if index is not None and 0 <= index < len(chunks)
    ]
    scores = [proportion(score) for score in support.confidence_scores]
    return GroundingSupport(
        start=start,
        end=end,
        score=max((score for score in scores if score is not None), default=None),
        facts=tuple(dict.fromkeys(fact for facts in cited for fact in facts)),
    )
