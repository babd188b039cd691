"""Wire types of generateAnswer and generateContent: Gemini API, Vertex AI and their SDKs.

Sources: googleapis protos at f8291d2b, google/ai/generativelanguage/v1beta/content.proto,
generative_service.proto, retriever.proto and citation.proto; google-genai 2.34.0, types.py;
google-cloud-aiplatform 1.165.1, aiplatform_v1/types/content.py; google/adk-python, events/event.py.
"""

from typing import ClassVar

from schemas.wire.discovery_engine import SafetyRating
from schemas.wire.wire_type import Details, Essential, Wire


class Part(Wire, frozen=True):
    """A piece of content; its text counts unless it is a thought."""

    ignored: ClassVar = dict.fromkeys(
        (
            "inlineData",
            "functionCall",
            "functionResponse",
            "fileData",
            "executableCode",
            "codeExecutionResult",
            "videoMetadata",
            "thoughtSignature",
            "partMetadata",
            "mediaResolution",
            "toolCall",
            "toolResponse",
            "mediaProcessing",
            "speechMetadata",
        ),
        "not answer text",
    )

    text: Essential[str] = ""
    thought: bool = False


class Content(Wire, frozen=True):
    """The text of one side of the conversation, in parts."""

    parts: Essential[tuple[Part, ...]] = ()
    role: str = ""


class CitationSource(Wire, frozen=True):
    """A span of the answer (UTF-8 bytes) recited from a page."""

    ignored: ClassVar = dict.fromkeys(
        ("uri", "title", "license", "publicationDate"), "a page without its text"
    )

    start_index: Essential[int | None] = None
    end_index: Essential[int | None] = None


class CitationMetadata(Wire, frozen=True):
    """Recited spans; Vertex AI and the SDK name the list `citations`."""

    citation_sources: Details[CitationSource] = ()
    citations: Details[CitationSource] = ()


class GroundingPassageId(Wire, frozen=True):
    """The name of a passage of the request."""

    ignored: ClassVar = {"partIndex": "a passage is one fact"}

    passage_id: str = ""


class SemanticRetrieverChunk(Wire, frozen=True):
    """The name of a chunk of a corpus."""

    ignored: ClassVar = {"source": "repeats the request"}

    chunk: str = ""


class AttributionSourceId(Wire, frozen=True):
    """The source of an attribution."""

    grounding_passage: GroundingPassageId = GroundingPassageId()
    semantic_retriever_chunk: SemanticRetrieverChunk = SemanticRetrieverChunk()


class GroundingAttribution(Wire, frozen=True):
    """A source text that the answer draws on."""

    content: Essential[Content] = Content()
    source_id: AttributionSourceId = AttributionSourceId()


class PageSpan(Wire, frozen=True):
    """Pages of a document, from 1."""

    ignored: ClassVar = {"lastPage": "the first page is kept"}

    first_page: int | None = None


class RagChunk(Wire, frozen=True):
    """A chunk of a corpus of Vertex AI."""

    ignored: ClassVar = dict.fromkeys(("chunkId", "fileId"), "the document's name is kept")

    text: str = ""
    page_span: PageSpan = PageSpan()


class RetrievedContext(Wire, frozen=True):
    """A retrieved text; the fields after `text` are written by Vertex AI and the SDK."""

    ignored: ClassVar = dict.fromkeys(
        ("fileSearchStore", "customMetadata", "mediaId"), "not about the text"
    )

    uri: str = ""
    title: str = ""
    text: str = ""
    document_name: str = ""
    page_number: int | None = None
    rag_chunk: RagChunk = RagChunk()


class MapsSource(Wire, frozen=True):
    """A place, described in text."""

    ignored: ClassVar = {"placeAnswerSources": "links without text", "route": "not a source"}

    uri: str = ""
    title: str = ""
    text: str = ""
    place_id: str = ""


class GroundingChunk(Wire, frozen=True):
    """A source that the generator consulted; one of its kinds."""

    ignored: ClassVar = {"web": "a page without its text", "image": "a picture"}

    retrieved_context: RetrievedContext | None = None
    maps: MapsSource | None = None


class Segment(Wire, frozen=True):
    """A span of one part of the answer; offsets are UTF-8 bytes within that part."""

    ignored: ClassVar = {"text": "repeats the answer"}

    part_index: Essential[int] = 0
    start_index: Essential[int] = 0
    end_index: Essential[int] = 0


class GroundingSupport(Wire, frozen=True):
    """The chunks that support a span, and a score (0..1) for each chunk."""

    ignored: ClassVar = {"renderedParts": "for display"}

    segment: Essential[Segment] = Segment()
    grounding_chunk_indices: Details[int] = ()
    confidence_scores: Details[float] = ()


class GroundingMetadata(Wire, frozen=True):
    """The sources of the answer."""

    ignored: ClassVar = dict.fromkeys(
        (
            "searchEntryPoint",
            "webSearchQueries",
            "imageSearchQueries",
            "retrievalQueries",
            "googleMapsWidgetContextToken",
            "sourceFlaggingUris",
            "retrievalMetadata",
        ),
        "for display, or about the search",
    )

    facts_field: ClassVar = "groundingChunks"

    grounding_chunks: Details[GroundingChunk] = ()
    grounding_supports: Details[GroundingSupport] = ()


class Candidate(Wire, frozen=True):
    """One generated answer; also an event of the Agent Development Kit."""

    ignored: ClassVar = {
        "index": "the first candidate is read",
        **dict.fromkeys(("score", "avgLogprobs", "logprobsResult"), "the model's own measures"),
        **dict.fromkeys(("finishMessage", "errorMessage"), "may repeat the answer"),
        **dict.fromkeys(("tokenCount", "usageMetadata"), "sizes"),
        **dict.fromkeys(("actions", "longRunningToolIds"), "other actions of the agent"),
        **dict.fromkeys(
            ("continuationToken", "cacheMetadata", "liveSessionResumptionUpdate"), "connection"
        ),
        "urlContextMetadata": "a page without its text",
        "inputTranscription": "the user's words",
    }

    facts_field: ClassVar = "groundingAttributions"

    content: Essential[Content] = Content()
    finish_reason: int | str = ""
    safety_ratings: Essential[tuple[SafetyRating, ...]] = ()
    citation_metadata: CitationMetadata = CitationMetadata()
    grounding_attributions: Essential[tuple[GroundingAttribution, ...]] = ()
    grounding_metadata: GroundingMetadata = GroundingMetadata()


class Feedback(Wire, frozen=True):
    """Why the prompt was blocked: `inputFeedback`, and `promptFeedback` of generateContent."""

    ignored: ClassVar = {"blockReasonMessage": "may repeat the prompt"}

    block_reason: int | str = ""
    safety_ratings: Essential[tuple[SafetyRating, ...]] = ()


class GenerateAnswerResponse(Wire, frozen=True):
    """The response of generateAnswer; `answerableProbability` (0..1) may be absent."""

    answer: Essential[Candidate] = Candidate()
    answerable_probability: float | None = None
    input_feedback: Feedback = Feedback()


class GroundingPassage(Wire, frozen=True):
    """A source text given in the request."""

    id: str = ""
    content: Essential[Content] = Content()


class GroundingPassages(Wire, frozen=True):
    """The source texts given in the request."""

    facts_field: ClassVar = "passages"

    passages: Essential[tuple[GroundingPassage, ...]] = ()


class SemanticRetrieverConfig(Wire, frozen=True):
    """A search of a corpus."""

    ignored: ClassVar = dict.fromkeys(
        ("source", "metadataFilters", "maxChunksCount", "minimumRelevanceScore"),
        "how it searches, not what it found",
    )

    query: Content = Content()


class GenerateAnswerRequest(Wire, frozen=True):
    """The request of generateAnswer."""

    ignored: ClassVar = dict.fromkeys(
        ("model", "answerStyle", "safetySettings", "temperature"), "settings"
    )

    contents: Details[Content] = ()
    inline_passages: Essential[GroundingPassages] = GroundingPassages()
    semantic_retriever: SemanticRetrieverConfig = SemanticRetrieverConfig()


class GenerateAnswerExchange(Wire, frozen=True):
    """A request of generateAnswer with its response, logged together by a publisher."""

    request: Essential[GenerateAnswerRequest] = GenerateAnswerRequest()
    response: Essential[GenerateAnswerResponse] = GenerateAnswerResponse()


class GenerateContentResponse(Wire, frozen=True):
    """The response of generateContent; `createTime` is Vertex AI's, None if it is not a string."""

    ignored: ClassVar = {
        **dict.fromkeys(
            ("usageMetadata", "modelVersion", "modelStatus", "sdkHttpResponse"),
            "not about the answer",
        ),
        "responseId": "not used to name the answer",
        "parsed": "repeats the answer",
    }

    candidates: Essential[tuple[Candidate, ...]] = ()
    prompt_feedback: Feedback = Feedback()
    create_time: str | None = ""
