"""Gemini's own view of which chunks support which stretch of the answer."""

from schemas.answer import Citation, GroundingSupport
from schemas.wire import gemini as wire
from transforms.formats.scores import proportion
from transforms.rules.stretches import is_stretch

# The facts of each grounding chunk, by the chunk's index.
FactsByChunk = tuple[tuple[int, ...], ...]


def read_supports(
    supports: tuple[wire.GroundingSupport | None, ...],
    content: wire.Content,
    chunks: FactsByChunk,
) -> tuple[GroundingSupport, ...]:
    """The supports whose segments fit the answer, offsets counted from the answer's start.

    A support's score is the best of its chunks' scores.
    """
    starts = _part_starts(content)
    answer = b"".join(part.text.encode() for part in content.parts if not part.thought)
    read = (_read_support(support, starts, answer, chunks) for support in supports if support)
    return tuple(support for support in read if support is not None)


def support_citations(supports: tuple[GroundingSupport, ...]) -> tuple[Citation, ...]:
    """What the supports say the answer is taken from."""
    return tuple(
        Citation(start=support.start, end=support.end, facts=support.facts) for support in supports
    )


def read_recitations(metadata: wire.CitationMetadata, answer: bytes) -> tuple[Citation, ...]:
    """The recited stretches that fit the answer; they carry no text, and so cite no facts."""
    return tuple(
        Citation(start=source.start_index or 0, end=source.end_index or 0)
        for source in recitations(metadata)
        if source and is_stretch(answer, source.start_index or 0, source.end_index or 0)
    )


def recitations(metadata: wire.CitationMetadata) -> list[wire.CitationSource | None]:
    """The recited stretches, without sources that name no stretch at all."""
    return [
        source
        for source in metadata.citation_sources + metadata.citations
        if source is None or (source.start_index, source.end_index) != (None, None)
    ]


def _part_starts(content: wire.Content) -> list[int | None]:
    """Where each part begins in the answer's bytes; None for a thought, which is not in it."""
    starts: list[int | None] = []
    position = 0
    for part in content.parts:
        starts.append(None if part.thought else position)
        position += 0 if part.thought else len(part.text.encode())
    return starts


def _read_support(
    support: wire.GroundingSupport, starts: list[int | None], answer: bytes, chunks: FactsByChunk
) -> GroundingSupport | None:
    segment = support.segment
    part_start = starts[segment.part_index] if 0 <= segment.part_index < len(starts) else None
    if part_start is None or segment.start_index < 0:
        return None
    start, end = part_start + segment.start_index, part_start + segment.end_index
    if not is_stretch(answer, start, end):
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
