"""Facts out of Gemini's passages, attributions and grounding chunks."""

from schemas.wire import gemini as wire
from transforms.formats.facts import FactCollection, page_attribute


def joined_text(content: wire.Content, separator: str = "") -> str:
    """The text of a content's parts, thoughts left out."""
    return separator.join(part.text for part in content.parts if part.text and not part.thought)


def add_passages(passages: wire.GroundingPassages, facts: FactCollection) -> None:
    """Add the source texts of a request, each passage one fact."""
    for passage in passages.passages:
        facts.add(joined_text(passage.content, "\n"), document=passage.id)


def add_attributions(candidate: wire.Candidate, facts: FactCollection) -> None:
    """Add the source texts that a candidate quotes."""
    for attribution in candidate.grounding_attributions:
        source = attribution.source_id
        facts.add(
            joined_text(attribution.content, "\n"),
            document=source.grounding_passage.passage_id or source.semantic_retriever_chunk.chunk,
        )


def add_chunk(chunk: wire.GroundingChunk | None, facts: FactCollection) -> tuple[int, ...]:
    """Add the text of a grounding chunk; its index as a tuple, empty for one without text."""
    if chunk is not None and chunk.retrieved_context is not None:
        return _add_retrieved(chunk.retrieved_context, facts)
    if chunk is not None and chunk.maps is not None:
        place = chunk.maps
        return facts.add(place.text, uri=place.uri, title=place.title, document=place.place_id)
    return ()


def chunk_text(chunk: wire.GroundingChunk | None) -> str:
    """The text of a grounding chunk, empty if it has none."""
    if chunk is not None and chunk.retrieved_context is not None:
        return _retrieved_text(chunk.retrieved_context)
    return chunk.maps.text if chunk is not None and chunk.maps is not None else ""


def _retrieved_text(context: wire.RetrievedContext) -> str:
    return context.text or context.rag_chunk.text


def _add_retrieved(context: wire.RetrievedContext, facts: FactCollection) -> tuple[int, ...]:
    return facts.add(
        _retrieved_text(context),
        uri=context.uri,
        title=context.title,
        document=context.document_name,
        attributes=page_attribute(context.page_number or context.rag_chunk.page_span.first_page),
    )
