"""discoveryengine.search_summary and .conversation: summaries of search results.

They are the summary of a response of search, and the reply of converseConversation.
"""

from collections.abc import Mapping
from itertools import chain

from msgspec.structs import replace

from schemas.wire import discovery_engine as discovery
from schemas.wire import earlier_answers as wire
from schemas.wire import enums
from schemas.wire.wire_type import read_wire
from transforms.formats.discovery_engine_answers import read_response
from transforms.formats.format import Format, Reading, Request

_SUMMARY_FIELDS = frozenset({"summaryText", "summaryWithMetadata", "summarySkippedReasons"})


def _read_search(request: Request) -> Reading:
    found = read_wire(request.value, wire.SummaryResponse)
    response = discovery.AnswerQueryResponse(
        answer=_to_answer(found.summary),
        answer_query_token=found.attribution_token,
        query=found.query,
    )
    return read_response(response, request, SEARCH_SUMMARY.name)


def _read_conversation(request: Request) -> Reading:
    found = read_wire(request.value, wire.ConversationResponse)
    inputs = (each.user_input.input for each in reversed(found.conversation.messages) if each)
    given = found.query if isinstance(found.query, str) else found.query.text
    response = discovery.AnswerQueryResponse(
        answer=_to_answer(found.reply.summary),
        query=next(filter(None, chain((given,), inputs)), ""),
    )
    answer, token = read_response(response, request, CONVERSATION.name)
    session = found.conversation.name.rpartition("/")[2]
    return replace(answer, session=session or None), token


def _to_answer(summary: wire.Summary) -> discovery.WireAnswer:
    detailed = summary.summary_with_metadata
    reasons = (
        enums.enum_name(reason, enums.SUMMARY_SKIPPED_REASONS)
        for reason in summary.summary_skipped_reasons
    )
    return discovery.WireAnswer(
        answer_text=detailed.summary or summary.summary_text,
        references=tuple(
            discovery.Reference(unstructured_document_info=each) for each in detailed.references
        ),
        citations=tuple(
            _to_citation(each) for each in detailed.citation_metadata.citations if each
        ),
        answer_skipped_reasons=tuple(filter(None, reasons)),
    )


def _to_citation(citation: wire.SummaryCitation) -> discovery.WireCitation:
    return discovery.WireCitation(
        start_index=citation.start_index,
        end_index=citation.end_index,
        sources=tuple(
            discovery.CitationSource(reference_id=source.reference_index)
            for source in citation.sources
            if source
        ),
    )


def _has_summary(fields: Mapping[str, object]) -> bool:
    summary = fields.get("summary")
    return isinstance(summary, dict) and not _SUMMARY_FIELDS.isdisjoint(summary)


def _has_reply(fields: Mapping[str, object]) -> bool:
    reply = fields.get("reply")
    return isinstance(reply, dict) and _has_summary(reply)


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
    detects=_has_reply,
    read=_read_conversation,
)
