"""Wire types of Discovery Engine's answers: v1, v1beta and v1alpha in one.

Sources: googleapis protos at f8291d2b, google/cloud/discoveryengine/v1beta/answer.proto,
session.proto and conversational_search_service.proto; v1 and v1alpha hold subsets of them.
"""

from typing import Any, ClassVar

import msgspec

from schemas.wire.wire_type import Details, Essential, Wire


class SafetyRating(Wire, frozen=True):
    """A rating in one category of harm; enums by name or number, scores 0..1.

    The Gemini API writes category, probability and blocked only. Zero and absent are the same here:
    the services' own type has no presence for these fields.
    """

    ignored: ClassVar = {"overwrittenThreshold": "a setting"}

    category: Essential[int | str] = ""
    probability: Essential[int | str] = ""
    blocked: Essential[bool] = False
    probability_score: float = 0.0
    severity: Essential[int | str] = ""
    severity_score: float = 0.0


class CitationSource(Wire, frozen=True):
    """The index of a reference in the answer's list, as digits."""

    reference_id: int | str = ""


class Citation(Wire, frozen=True):
    """A cited span of the answer; offsets are UTF-8 bytes, end exclusive, absent meaning 0."""

    start_index: Essential[int] = 0
    end_index: Essential[int] = 0
    sources: Details[CitationSource] = ()


class GroundingSupport(Wire, frozen=True):
    """The generator's own check of a span of the answer; offsets as in a citation."""

    start_index: Essential[int] = 0
    end_index: Essential[int] = 0
    grounding_score: float | None = None
    grounding_check_required: bool | None = None
    sources: Details[CitationSource] = ()


class ChunkContent(Wire, frozen=True):
    """A passage of a document."""

    ignored: ClassVar = {"relevanceScore": "a search rank", "blobAttachmentIndexes": "pictures"}

    content: Essential[str] = ""
    page_identifier: str = ""


class UnstructuredDocumentInfo(Wire, frozen=True):
    """A document with one fact for each of its passages."""

    ignored: ClassVar = {"structData": "fact text only for structured documents"}

    document: str = ""
    uri: str = ""
    title: str = ""
    chunk_contents: Essential[tuple[ChunkContent, ...]] = ()


class DocumentMetadata(Wire, frozen=True):
    """Where a chunk is from."""

    ignored: ClassVar = {"structData": "fact text only for structured documents"}

    document: str = ""
    uri: str = ""
    title: str = ""
    page_identifier: str = ""


class ChunkInfo(Wire, frozen=True):
    """A chunk of a document: one fact."""

    ignored: ClassVar = {
        "chunk": "its resource name; the document's is kept",
        "relevanceScore": "a search rank",
        "blobAttachmentIndexes": "pictures",
    }

    content: Essential[str] = ""
    document_metadata: DocumentMetadata = DocumentMetadata()


class StructuredDocumentInfo(Wire, frozen=True):
    """A record of a data store, whose fields are the fact."""

    document: str = ""
    struct_data: Essential[dict[str, Any]] = msgspec.field(default_factory=dict)
    title: str = ""
    uri: str = ""


class Reference(Wire, frozen=True):
    """A source of the answer; one of the three kinds."""

    unstructured_document_info: Essential[UnstructuredDocumentInfo | None] = None
    chunk_info: Essential[ChunkInfo | None] = None
    structured_document_info: Essential[StructuredDocumentInfo | None] = None


class SnippetInfo(Wire, frozen=True):
    """An extract in HTML, valid if the status is SUCCESS."""

    snippet: str = ""
    snippet_status: str = ""


class SearchResultChunk(Wire, frozen=True):
    """A chunk that a search found."""

    ignored: ClassVar = {"chunk": "its resource name", "relevanceScore": "a search rank"}

    content: str = ""


class SearchResult(Wire, frozen=True):
    """A document that a search found, with the chunks or the extracts shown to the generator."""

    ignored: ClassVar = {"structData": "fact text only for structured documents"}

    document: str = ""
    uri: str = ""
    title: str = ""
    snippet_info: Details[SnippetInfo] = ()
    chunk_info: Details[SearchResultChunk] = ()


class SearchAction(Wire, frozen=True):
    """A search; its query may differ from the user's."""

    query: str = ""


class Observation(Wire, frozen=True):
    """The result of an action."""

    search_results: Details[SearchResult] = ()


class Action(Wire, frozen=True):
    """One action of a step."""

    search_action: SearchAction = SearchAction()
    observation: Observation = Observation()


class Step(Wire, frozen=True):
    """One step in making the answer."""

    ignored: ClassVar = dict.fromkeys(("state", "description", "thought"), "not a source")

    actions: Details[Action] = ()


class QueryClassificationInfo(Wire, frozen=True):
    """Whether the query has a type, such as ADVERSARIAL_QUERY."""

    type_: int | str = ""
    positive: bool = False


class QueryUnderstandingInfo(Wire, frozen=True):
    """How the service classified the query."""

    query_classification_info: Details[QueryClassificationInfo] = ()


class Answer(Wire, frozen=True):
    """An answer resource; a time is None if it is not a string."""

    ignored: ClassVar = {"relatedQuestions": "not the answer", "blobAttachments": "pictures"}

    text_field: ClassVar = "answerText"
    facts_field: ClassVar = "references"

    name: Essential[str] = ""
    state: Essential[int | str] = ""
    answer_text: Essential[str] = ""
    citations: Details[Citation] = ()
    references: Essential[tuple[Reference, ...]] = ()
    steps: Details[Step] = ()
    create_time: str | None = ""
    complete_time: str | None = ""
    query_understanding_info: QueryUnderstandingInfo = QueryUnderstandingInfo()
    answer_skipped_reasons: Essential[tuple[int | str, ...]] = ()
    grounding_score: Essential[float | None] = None
    grounding_supports: Details[GroundingSupport] = ()
    safety_ratings: Essential[tuple[SafetyRating, ...]] = ()


class Query(Wire, frozen=True):
    """The user's question."""

    ignored: ClassVar = {"queryId": "names the query, not the answer"}

    text: str = ""


class Turn(Wire, frozen=True):
    """A question of a session and the name of its answer."""

    ignored: ClassVar = {
        "detailedAnswer": "the answer of another message",
        "detailedAssistAnswer": "the answer of another message",
        "queryConfig": "settings",
        "live": "how it was spoken",
    }

    query: Query = Query()
    answer: str = ""


class Session(Wire, frozen=True):
    """A conversation; its name and its questions are read."""

    ignored: ClassVar = {
        **dict.fromkeys(("displayName", "labels", "isPinned"), "for display"),
        **dict.fromkeys(("state", "startTime", "endTime"), "the conversation's, not the answer's"),
        "userPseudoId": "personal, and not needed",
        "pendingAsyncAssistOperationId": "another method's",
    }

    name: str = ""
    turns: Details[Turn] = ()


class AnswerQueryResponse(Wire, frozen=True):
    """The response of answerQuery, and a publisher's wrapper {"query", "answer"}.

    The service does not write `query`: publishers add it, because the answer lacks it.
    """

    answer: Essential[Answer] = Answer()
    session: Session = Session()
    answer_query_token: str = ""
    query: str | Query = ""


class StreamError(Wire, frozen=True):
    """A google.rpc.Status in place of an answer."""

    ignored: ClassVar = dict.fromkeys(("message", "details"), "may repeat the user's words")

    code: int | str = ""
    status: str = ""


class StreamElement(AnswerQueryResponse, frozen=True):
    """One element of streamAnswer's array: a response, or the error that ended the stream."""

    error: StreamError | None = None
