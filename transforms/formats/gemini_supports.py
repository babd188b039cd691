"""Read which chunks support which span of a Gemini answer, in the generator's own view."""

from collections.abc import Iterable

from schemas.answer import Citation, GroundingSupport
from schemas.wire import gemini as wire
from transforms.formats.scores import proportion
from transforms.rules.spans import is_valid_span

# The facts of each grounding chunk, by the chunk's index.
FactsByChunk = tuple[tuple[int, ...], ...]


def read_supports(
    supports: tuple[wire.GroundingSupport | None, ...],
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


def support_citations(supports: tuple[GroundingSupport, ...]) -> tuple[Citation, ...]:
    """Read what the supports say the answer is taken from."""
    return tuple(
        Citation(start=support.start, end=support.end, facts=support.facts) for support in supports
    )


def read_recitations(
    sources: Iterable[wire.CitationSource | None], answer: bytes
) -> tuple[Citation, ...]:
    """Read the recited spans that fit the answer; they carry no text, so they cite no facts."""
    return tuple(
        Citation(start=source.start_index or 0, end=source.end_index or 0)
        for source in sources
        if source and is_valid_span(answer, source.start_index or 0, source.end_index or 0)
    )


def recitations(metadata: wire.CitationMetadata) -> list[wire.CitationSource | None]:
    """List the recited spans, without sources that give no offsets at all."""
    return [
        source
        for source in metadata.citation_sources + metadata.citations
        if source is None or (source.start_index, source.end_index) != (None, None)
    ]


def _part_spans(content: wire.Content) -> list[range | None]:
    """List the bytes of the answer that each part has; None for a thought, which is left out."""
    spans: list[range | None] = []
    position = 0
    for part in content.parts:
        end = position if part.thought else position + len(part.text.encode())
        spans.append(None if part.thought else range(position, end))
        position = end
    return spans


def _read_support(
    support: wire.GroundingSupport, spans: list[range | None], answer: bytes, chunks: FactsByChunk
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
