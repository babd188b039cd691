"""Wire types of Discovery Engine's other methods: grounded content, summaries, checks.

Source: google-cloud-discoveryengine 0.20.5, discoveryengine_v1beta/types/
{grounded_generation_service,search_service,conversation,conversational_search_service}.py.
"""

from typing import Any

import msgspec

from .discovery_engine import CitationSource, Query, UnstructuredDocumentInfo, WireCitation
from .gemini import Content
from .wire_type import Details, Essential, Wire


class SupportChunk(Wire, frozen=True):
    id: str = ""
    chunk_text: Essential[str] = ""
    source: str = ""
    uri: str = ""
    title: str = ""


class GroundedClaim(Wire, frozen=True):
    claim_text: str = ""
    support_chunk_indices: Details[int] = ()
    support_score: float | None = None


class SupportMetadata(Wire, frozen=True):
    support_chunks: Essential[tuple[SupportChunk, ...]] = ()
    grounding_support: Details[GroundedClaim] = ()


class GroundedCandidate(Wire, frozen=True):
    content: Essential[Content] = Content()
    grounding_score: Essential[float | None] = None
    grounding_metadata: SupportMetadata = SupportMetadata()


class GroundedContentResponse(Wire, frozen=True):
    candidates: Essential[tuple[GroundedCandidate, ...]] = ()


class SummarySource(CitationSource, frozen=True):
    reference_id: int | str = msgspec.field(default=0, name="referenceIndex")


class SummaryCitation(WireCitation, frozen=True):
    sources: Details[SummarySource] = ()


class SummaryCitations(Wire, frozen=True):
    citations: Details[SummaryCitation] = ()


class SummaryWithMetadata(Wire, frozen=True):
    summary: Essential[str] = ""
    citation_metadata: SummaryCitations = SummaryCitations()
    references: Essential[tuple[UnstructuredDocumentInfo, ...]] = ()


class Summary(Wire, frozen=True):
    summary_text: Essential[str] = ""
    summary_skipped_reasons: Essential[tuple[int | str, ...]] = ()
    summary_with_metadata: SummaryWithMetadata = SummaryWithMetadata()


class SummaryResponse(Wire, frozen=True):
    """A response of search: `results` could hold the facts, but is not read."""

    summary: Essential[Summary] = Summary()
    attribution_token: str = ""
    query: str | Query = ""


class ConversationReply(Wire, frozen=True):
    """A reply; `reply` and `references`, which came before the summaries, are not read."""

    summary: Essential[Summary] = Summary()


class UserInput(Wire, frozen=True):
    input: str = ""


class ConversationMessage(Wire, frozen=True):
    user_input: UserInput = UserInput()


class Conversation(Wire, frozen=True):
    name: str = ""
    messages: Details[ConversationMessage] = ()


class ConversationResponse(Wire, frozen=True):
    reply: Essential[ConversationReply] = ConversationReply()
    conversation: Conversation = Conversation()
    query: str | Query = ""


class CheckedFact(Wire, frozen=True):
    fact_text: Essential[str] = ""
    attributes: dict[str, Any] = msgspec.field(default_factory=dict)


class CheckCall(Wire, frozen=True):
    """A request of `groundingConfigs.check`, as archives of calls keep it."""

    answer_candidate: Essential[str] = ""
    facts: Essential[tuple[CheckedFact, ...]] = ()
