"""Facts out of the references of a Discovery Engine answer."""

from schemas.wire import discovery_engine as wire
from transforms.formats.facts import FactCollection, page_attribute
from transforms.formats.struct_text import render_struct


def add_reference(reference: wire.Reference, facts: FactCollection) -> tuple[int, ...]:
    """Add what a reference says to the facts.

    Returns:
      The indices of its facts: several for a document of several passages, none without text.
    """
    if reference.chunk_info is not None:
        return _add_chunk(reference.chunk_info, facts)
    if reference.unstructured_document_info is not None:
        return _add_document(reference.unstructured_document_info, facts)
    if reference.structured_document_info is not None:
        return _add_record(reference.structured_document_info, facts)
    return ()


def _add_chunk(chunk: wire.ChunkInfo, facts: FactCollection) -> tuple[int, ...]:
    metadata = chunk.document_metadata
    return facts.add(
        chunk.content,
        uri=metadata.uri,
        title=metadata.title,
        document=metadata.document,
        attributes=page_attribute(metadata.page_identifier),
    )


def _add_document(
    document: wire.UnstructuredDocumentInfo, facts: FactCollection
) -> tuple[int, ...]:
    added: dict[int, None] = {}
    for passage in document.chunk_contents:
        indices = facts.add(
            passage.content,
            uri=document.uri,
            title=document.title,
            document=document.document,
            attributes=page_attribute(passage.page_identifier),
        )
        added |= dict.fromkeys(indices)
    return tuple(added)


def _add_record(record: wire.StructuredDocumentInfo, facts: FactCollection) -> tuple[int, ...]:
    return facts.add(
        render_struct(record.struct_data),
        uri=record.uri,
        title=record.title,
        document=record.document,
    )
