"""Wire types of generateAnswer and generateContent: Gemini API, Vertex AI and their SDKs.

Offsets are UTF-8 bytes; scores are 0..1; an enum is a name or a number. Sources: googleapis protos
at f8291d2b, google/ai/generativelanguage/v1beta/{content,generative_service,retriever,citation}
.proto; google-genai 2.34.0, types.py; google-cloud-aiplatform 1.165.1,
aiplatform_v1/types/content.py; google/adk-python, events/event.py.
"""

from typing import Any

from .discovery_engine import StreamError, WireRating
from .wire_type import Details, Essential, Wire


class FunctionResponse(Wire, frozen=True):
    """What a function, or a tool of the service, returned."""

    response: dict[str, Any] | list[Any] | str = ""


class ExecutedCode(Wire, frozen=True):
    """What code that the model wrote has printed."""

    output: str = ""


class ContentPart(Wire, frozen=True):
    text: Essential[str] = ""
    thought: bool = False
    function_response: FunctionResponse = FunctionResponse()
    tool_response: FunctionResponse = FunctionResponse()
    code_execution_result: ExecutedCode = ExecutedCode()
    # Only that they stand between texts is read.
    function_call: Any = None
    tool_call: Any = None
    executable_code: Any = None
    inline_data: Any = None
    file_data: Any = None

    @property
    def own_text(self) -> str | None:
        """The text that is part of the answer, "" of a thought; None of all else."""
        if self.thought:
            return ""
        return self.text if self.text or self == _WITHOUT_TEXT else None


_WITHOUT_TEXT = ContentPart()


class Content(Wire, frozen=True):
    parts: Essential[tuple[ContentPart, ...]] = ()
    role: str = ""


class RecitedSpan(Wire, frozen=True):
    """A citation source: a span of the answer that is recited from a page without its text."""

    start_index: Essential[int | None] = None
    end_index: Essential[int | None] = None


class CitationMetadata(Wire, frozen=True):
    citation_sources: Details[RecitedSpan] = ()
    citations: Details[RecitedSpan] = ()  # the name in Vertex AI and the SDK


class AttributionSource(Wire, frozen=True):
    """A passage of the request, or a chunk that the semantic retriever found."""

    passage_id: str = ""
    chunk: str = ""


class AttributionSourceId(Wire, frozen=True):
    grounding_passage: AttributionSource = AttributionSource()
    semantic_retriever_chunk: AttributionSource = AttributionSource()


class GroundingAttribution(Wire, frozen=True):
    content: Essential[Content] = Content()
    source_id: AttributionSourceId = AttributionSourceId()


class PageSpan(Wire, frozen=True):
    first_page: int | None = None  # from 1


class RagChunk(Wire, frozen=True):
    text: str = ""
    page_span: PageSpan = PageSpan()


class ChunkSource(Wire, frozen=True):
    """A retrieved context, or a place of Google Maps, which has a place id."""

    uri: str = ""
    title: str = ""
    text: str = ""
    place_id: str = ""
    # Vertex AI and the SDK write the following fields.
    document_name: str = ""
    page_number: int | None = None
    rag_chunk: RagChunk = RagChunk()

    @property
    def any_text(self) -> str:
        """The text, which the Gemini API and Vertex AI write in different fields."""
        return self.text if self.text.strip() else self.rag_chunk.text


class GroundingChunk(Wire, frozen=True):
    retrieved_context: ChunkSource | None = None
    maps: ChunkSource | None = None


class GeminiSegment(Wire, frozen=True):
    """A span of one part of the answer; offsets are within that part."""

    part_index: Essential[int] = 0
    start_index: Essential[int] = 0
    end_index: Essential[int] = 0
    text: str = ""


class GeminiSupport(Wire, frozen=True):
    segment: Essential[GeminiSegment] = GeminiSegment()
    grounding_chunk_indices: Details[int] = ()
    confidence_scores: Details[float] = ()


class GroundingMetadata(Wire, frozen=True):
    grounding_chunks: Details[GroundingChunk] = ()
    grounding_supports: Details[GeminiSupport] = ()


class Candidate(Wire, frozen=True):
    """One generated answer; also an event of the Agent Development Kit."""

    content: Essential[Content] = Content()
    finish_reason: int | str = ""
    safety_ratings: Essential[tuple[WireRating, ...]] = ()
    citation_metadata: CitationMetadata = CitationMetadata()
    grounding_attributions: Essential[tuple[GroundingAttribution, ...]] = ()
    grounding_metadata: GroundingMetadata = GroundingMetadata()
    # Of events.
    author: str = ""
    partial: bool = False
    interrupted: bool = False
    error_code: int | str = ""

    @property
    def end(self) -> int | str:
        """Why it ended; events without a text have the reason as their error."""
        return self.finish_reason or self.error_code


class Feedback(Wire, frozen=True):
    """Why the prompt was blocked: `inputFeedback`, and `promptFeedback` of generateContent."""

    block_reason: int | str = ""
    safety_ratings: Essential[tuple[WireRating, ...]] = ()


class GenerateAnswerResponse(Wire, frozen=True):
    answer: Essential[Candidate] = Candidate()
    answerable_probability: float | None = None
    input_feedback: Feedback = Feedback()


class GroundingPassage(Wire, frozen=True):
    id: str = ""
    content: Essential[Content] = Content()


class GroundingPassages(Wire, frozen=True):
    passages: Essential[tuple[GroundingPassage, ...]] = ()


class SemanticRetrieverConfig(Wire, frozen=True):
    query: Content = Content()


class GenerateAnswerRequest(Wire, frozen=True):
    contents: Details[Content] = ()
    inline_passages: Essential[GroundingPassages] = GroundingPassages()
    semantic_retriever: SemanticRetrieverConfig = SemanticRetrieverConfig()


class GenerateAnswerExchange(Wire, frozen=True):
    """A request of generateAnswer with its response, logged together by a publisher."""

    request: Essential[GenerateAnswerRequest] = GenerateAnswerRequest()
    response: Essential[GenerateAnswerResponse] = GenerateAnswerResponse()


class GenerateContentResponse(Wire, frozen=True):
    """The response of generateContent; `createTime` is Vertex AI's, None if it is not a string."""

    candidates: Essential[tuple[Candidate, ...]] = ()
    prompt_feedback: Feedback = Feedback()
    create_time: str | None = ""
    response_id: str = ""
    automatic_function_calling_history: Details[Content] = ()  # of the SDK
    error: StreamError | None = None  # instead of a response, or after chunks of it


class GenerateContentRequest(Wire, frozen=True):
    contents: Details[Content] = ()
    system_instruction: Content = Content()
    tools: Details[dict[str, Any]] = ()


class GenerateContentExchange(Wire, frozen=True):
    """A request of generateContent with its response, as logs and batch jobs keep them."""

    request: GenerateContentRequest = GenerateContentRequest()
    response: GenerateContentResponse | tuple[GenerateContentResponse, ...] = ()
