"""The JSON of Gemini's generateAnswer and generateContent, also as Vertex and the SDKs write it.

Sources: googleapis protos at f8291d2b, google/ai/generativelanguage/v1beta/content.proto,
generative_service.proto, retriever.proto and citation.proto; google-genai 2.34.0 types.py.
"""

from schemas.wire.safety import SafetyRating
from schemas.wire.tolerance import Details, Essential, Wire


class Part(Wire, frozen=True):
    """A piece of content, of which text counts unless it is a thought.

    Dropped, since they are no text: `inlineData`, `functionCall`, `functionResponse`, `fileData`,
    `executableCode`, `codeExecutionResult`, `videoMetadata`, `thoughtSignature`, `partMetadata`.
    """

    text: Essential[str] = ""
    thought: bool = False


class Content(Wire, frozen=True):
    """What one side said, in parts."""

    parts: Essential[tuple[Part, ...]] = ()
    role: str = ""


class CitationSource(Wire, frozen=True):
    """A stretch of the answer (UTF-8 bytes) recited from some page.

    Dropped: `uri` and `license` (a page without its text supports nothing that can be checked).
    """

    start_index: Essential[int | None] = None
    end_index: Essential[int | None] = None


class CitationMetadata(Wire, frozen=True):
    """Recited stretches; Vertex names the list `citations`."""

    citation_sources: Details[CitationSource] = ()
    citations: Details[CitationSource] = ()


class GroundingPassageId(Wire, frozen=True):
    """Names a passage of the request.

    Dropped: `partIndex` (a passage is one fact).
    """

    passage_id: str = ""


class SemanticRetrieverChunk(Wire, frozen=True):
    """Names a chunk of a corpus.

    Dropped: `source` (repeats the request; the chunk's own name begins with it).
    """

    chunk: str = ""


class AttributionSourceId(Wire, frozen=True):
    """Where an attribution is from."""

    grounding_passage: GroundingPassageId = GroundingPassageId()
    semantic_retriever_chunk: SemanticRetrieverChunk = SemanticRetrieverChunk()


class GroundingAttribution(Wire, frozen=True):
    """A source text that the answer draws on."""

    content: Essential[Content] = Content()
    source_id: AttributionSourceId = AttributionSourceId()


class PageSpan(Wire, frozen=True):
    """Pages of a document, from 1.

    Dropped: `lastPage` (a fact is found by the page on which it begins).
    """

    first_page: int | None = None


class RagChunk(Wire, frozen=True):
    """Vertex: a chunk of a corpus."""

    text: str = ""
    page_span: PageSpan = PageSpan()


class RetrievedContext(Wire, frozen=True):
    """A retrieved text; the members after `text` are the SDK's and Vertex's.

    Dropped: `fileSearchStore` and `customMetadata` (the store's, not the text's).
    """

    uri: str = ""
    title: str = ""
    text: str = ""
    document_name: str = ""
    page_number: int | None = None
    rag_chunk: RagChunk = RagChunk()


class MapsSource(Wire, frozen=True):
    """A place, described in text.

    Dropped: `placeAnswerSources` (links to reviews, without their text).
    """

    uri: str = ""
    title: str = ""
    text: str = ""
    place_id: str = ""


class GroundingChunk(Wire, frozen=True):
    """A source that the generator consulted; one of its kinds.

    Dropped: `web` (carries no text that could be checked against).
    """

    retrieved_context: RetrievedContext | None = None
    maps: MapsSource | None = None


class Segment(Wire, frozen=True):
    """A stretch of one part of the answer; offsets are UTF-8 bytes within that part.

    Dropped: `text` (the answer says it again).
    """

    part_index: Essential[int] = 0
    start_index: Essential[int] = 0
    end_index: Essential[int] = 0


class GroundingSupport(Wire, frozen=True):
    """Which chunks support a stretch, and how surely (0..1, one score for each chunk)."""

    segment: Essential[Segment] = Segment()
    grounding_chunk_indices: Details[int] = ()
    confidence_scores: Details[float] = ()


class GroundingMetadata(Wire, frozen=True):
    """What the answer was grounded on.

    Dropped: `searchEntryPoint`, `webSearchQueries`, `googleMapsWidgetContextToken` (for display)
    and `retrievalMetadata` (whether a search seemed worth while).
    """

    grounding_chunks: Details[GroundingChunk] = ()
    grounding_supports: Details[GroundingSupport] = ()


class Candidate(Wire, frozen=True):
    """One generated answer.

    Dropped: `index` (the first candidate is read), `finishMessage` (may repeat the answer),
    `tokenCount`, `avgLogprobs`, `logprobsResult` (the model's own measure of itself) and
    `urlContextMetadata` (pages without their text).
    """

    content: Essential[Content] = Content()
    finish_reason: int | str = ""
    safety_ratings: Essential[tuple[SafetyRating, ...]] = ()
    citation_metadata: CitationMetadata = CitationMetadata()
    grounding_attributions: Essential[tuple[GroundingAttribution, ...]] = ()
    grounding_metadata: GroundingMetadata = GroundingMetadata()


class Feedback(Wire, frozen=True):
    """Why the prompt was refused: `inputFeedback`, and `promptFeedback` of generateContent."""

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

    passages: Essential[tuple[GroundingPassage, ...]] = ()


class SemanticRetrieverConfig(Wire, frozen=True):
    """A search of a corpus.

    Dropped: `source`, `metadataFilters`, `maxChunksCount` and `minimumRelevanceScore` (how it
    searches, not what it found).
    """

    query: Content = Content()


class GenerateAnswerRequest(Wire, frozen=True):
    """The request of generateAnswer.

    Dropped: `model`, `answerStyle`, `safetySettings` and `temperature` (settings).
    """

    contents: Details[Content] = ()
    inline_passages: Essential[GroundingPassages] = GroundingPassages()
    semantic_retriever: SemanticRetrieverConfig = SemanticRetrieverConfig()


class GenerateAnswerExchange(Wire, frozen=True):
    """A request of generateAnswer with its response, as a publisher logs them together."""

    request: Essential[GenerateAnswerRequest] = GenerateAnswerRequest()
    response: Essential[GenerateAnswerResponse] = GenerateAnswerResponse()


class GenerateContentResponse(Wire, frozen=True):
    """The response of generateContent; `createTime` is Vertex's, None if it is no string.

    Dropped: `usageMetadata`, `modelVersion` (not about the answer) and `responseId` (no identity
    by the project's rules).
    """

    candidates: Essential[tuple[Candidate, ...]] = ()
    prompt_feedback: Feedback = Feedback()
    create_time: str | None = ""
