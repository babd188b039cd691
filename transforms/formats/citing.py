"""The citations and grounding supports of a Discovery Engine answer."""

from schemas.answer import Citation, GroundingSupport
from schemas.wire import discovery_engine as wire
from transforms.formats.scores import proportion
from transforms.rules.spans import is_valid_span

# The facts of each reference, by the reference's index.
FactsByReference = tuple[tuple[int, ...], ...]


def read_citations(
    citations: tuple[wire.Citation | None, ...], answer: bytes, references: FactsByReference
) -> tuple[Citation, ...]:
    """The citations whose offsets fit the answer's bytes."""
    return tuple(
        Citation(
            start=citation.start_index,
            end=citation.end_index,
            facts=_cited_facts(citation.sources, references),
        )
        for citation in citations
        if citation and is_valid_span(answer, citation.start_index, citation.end_index)
    )


def read_supports(
    supports: tuple[wire.GroundingSupport | None, ...], answer: bytes, references: FactsByReference
) -> tuple[GroundingSupport, ...]:
    """The supports whose offsets fit the answer's bytes."""
    return tuple(
        GroundingSupport(
            start=support.start_index,
            end=support.end_index,
            score=proportion(support.grounding_score),
            grounding_check_required=support.grounding_check_required,
            facts=_cited_facts(support.sources, references),
        )
        for support in supports
        if support and is_valid_span(answer, support.start_index, support.end_index)
    )


def _cited_facts(
    sources: tuple[wire.CitationSource | None, ...], references: FactsByReference
) -> tuple[int, ...]:
    cited: dict[int, None] = {}
    for source in filter(None, sources):
        cited |= dict.fromkeys(_facts_of(source, references))
    return tuple(cited)


def _facts_of(source: wire.CitationSource, references: FactsByReference) -> tuple[int, ...]:
    """The facts behind a source; none if its id is no index of a reference."""
    reference_id = str(source.reference_id)
    if not (reference_id.isascii() and reference_id.isdecimal()):
        return ()
    digits = reference_id.lstrip("0") or "0"
    index = int(digits) if len(digits) <= len(str(len(references))) else len(references)
    return references[index] if index < len(references) else ()
