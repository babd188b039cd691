"""Read the facts and citations of a Discovery Engine answer."""

import html
import re
from collections.abc import Iterator
from itertools import chain

from schemas.answer import Citation, GroundingSupport
from schemas.wire import discovery_engine as wire
from transforms.formats.fact_collection import FactCollection, page_attribute, render_struct
from transforms.formats.field_values import proportion
from transforms.rules.spans import is_valid_span

FactsByReference = tuple[tuple[int, ...], ...]
"""The indices of each reference's facts, by the reference's index."""

_HTML_TAG = re.compile(r"<[^<>]*>")


def add_reference(reference: wire.Reference, facts: FactCollection) -> tuple[int, ...]:
    """Add the text of a reference to the facts.

    Returns:
      The indices of its facts: several for a document of several passages, none without text.
    """
    if (chunk := reference.chunk_info) is not None:
        metadata = chunk.document_metadata
        return facts.add(
            chunk.content,
            uri=metadata.uri,
            title=metadata.title,
            document=metadata.document,
            attributes=page_attribute(metadata.page_identifier),
        )
    if reference.unstructured_document_info is not None:
        return _add_document(reference.unstructured_document_info, facts)
    if (record := reference.structured_document_info) is not None:
        return facts.add(
            render_struct(record.struct_data),
            uri=record.uri,
            title=record.title,
            document=record.document,
        )
    return ()


def first_search(steps: tuple[wire.Step | None, ...]) -> str | None:
    """Return the query of the first search, which may differ from the user's words."""
    queries = (action.search_action.query for action in _actions(steps))
    return next(filter(None, queries), None)


def add_search_results(steps: tuple[wire.Step | None, ...], facts: FactCollection) -> None:
    """Add the chunks that the searches found, or the snippets of a result without chunks."""
    for action in _actions(steps):
        for result in filter(None, action.observation.search_results):
            for text in _result_texts(result):
                facts.add(text, uri=result.uri, title=result.title, document=result.document)


def read_citations(
    citations: tuple[wire.WireCitation | None, ...], answer: bytes, references: FactsByReference
) -> tuple[Citation, ...]:
    """Read the citations whose offsets fit the answer's bytes."""
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
    supports: tuple[wire.WireSupport | None, ...], answer: bytes, references: FactsByReference
) -> tuple[GroundingSupport, ...]:
    """Read the supports whose offsets fit the answer's bytes."""
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


def _add_document(
    document: wire.UnstructuredDocumentInfo, facts: FactCollection
) -> tuple[int, ...]:
    added = (
        facts.add(
            passage.content,
            uri=document.uri,
            title=document.title,
            document=document.document,
            attributes=page_attribute(passage.page_identifier),
        )
        for passage in document.chunk_contents
    )
    return tuple(dict.fromkeys(chain.from_iterable(added)))


def _actions(steps: tuple[wire.Step | None, ...]) -> Iterator[wire.Action]:
    for step in filter(None, steps):
        yield from filter(None, step.actions)


def _result_texts(result: wire.SearchResult) -> list[str]:
    chunks = [chunk.content for chunk in filter(None, result.chunk_info) if chunk.content]
    return chunks or [
        html.unescape(_HTML_TAG.sub("", snippet.snippet))
        for snippet in filter(None, result.snippet_info)
        if snippet.snippet_status in ("", "SUCCESS")
    ]


def _cited_facts(
    sources: tuple[wire.CitationSource | None, ...], references: FactsByReference
) -> tuple[int, ...]:
    cited = (_facts_of(source, references) for source in filter(None, sources))
    return tuple(dict.fromkeys(chain.from_iterable(cited)))


def _facts_of(source: wire.CitationSource, references: FactsByReference) -> tuple[int, ...]:
    """Return the facts of a source; none if its id is not the index of a reference."""
    reference_id = str(source.reference_id)
    if not (reference_id.isascii() and reference_id.isdecimal()):
        return ()
    digits = reference_id.lstrip("0") or "0"
    index = int(digits) if len(digits) <= len(str(len(references))) else len(references)
    return references[index] if index < len(references) else ()
