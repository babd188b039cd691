"""Wire types of Discovery Engine's answers: v1, v1beta and v1alpha in one.

Offsets are UTF-8 bytes, end exclusive, absent meaning 0; scores are 0..1; an enum is a name or a
number. Sources: googleapis protos at f8291d2b, google/cloud/discoveryengine/v1beta/answer.proto,
session.proto and conversational_search_service.proto; v1 and v1alpha hold subsets of them.
"""

from typing import Any

import msgspec

from .wire_type import Details, Essential, Wire


class WireRating(Wire, frozen=True):
    """A safety rating of any service; Gemini writes category, probability and blocked only.

    Zero and absent are the same here: the services' own type has no presence for these fields.
    """

    category: Essential[int | str] = ""
    probability: Essential[int | str] = ""
    blocked: Essential[bool] = False
    probability_score: float = 0.0
    severity: Essential[int | str] = ""
    severity_score: float = 0.0


class CitationSource(Wire, frozen=True):
    reference_id: int | str = ""  # the index of a reference, as digits


class WireCitation(Wire, frozen=True):
    start_index: Essential[int] = 0
    end_index: Essential[int] = 0
    sources: Details[CitationSource] = ()


class WireSupport(WireCitation, frozen=True):
    grounding_score: float | None = None
    grounding_check_required: bool | None = None


class Document(Wire, frozen=True):
    """The origin of a text: the fields that the types of documents have in common."""

    document: str = ""
    uri: str = ""
    title: str = ""
    page_identifier: str = ""


class Chunk(Wire, frozen=True):
    """A passage of a document, in a reference or in the result of a search."""

    content: Essential[str] = ""
    page_identifier: str = ""
    document_metadata: Document = Document()


class UnstructuredDocumentInfo(Document, frozen=True):
    chunk_contents: Essential[tuple[Chunk, ...]] = ()


class StructuredDocumentInfo(Document, frozen=True):
    struct_data: Essential[dict[str, Any]] = msgspec.field(default_factory=dict)


class Reference(Wire, frozen=True):
    unstructured_document_info: Essential[UnstructuredDocumentInfo | None] = None
    chunk_info: Essential[Chunk | None] = None
    structured_document_info: Essential[StructuredDocumentInfo | None] = None


# What a search found is no fact of the answer: it is known, so that it is not taken for one.
class SnippetInfo(Wire, frozen=True):
    snippet: str = ""  # HTML, valid if the status is SUCCESS
    snippet_status: str = ""


class SearchResult(Document, frozen=True):
    snippet_info: Details[SnippetInfo] = ()
    chunk_info: Details[Chunk] = ()


class SearchAction(Wire, frozen=True):
    query: str = ""  # may differ from the user's


class Observation(Wire, frozen=True):
    search_results: Details[SearchResult] = ()


class Action(Wire, frozen=True):
    search_action: SearchAction = SearchAction()
    observation: Observation = Observation()


class Step(Wire, frozen=True):
    actions: Details[Action] = ()


class QueryClassificationInfo(Wire, frozen=True):
    type_: int | str = ""
    positive: bool = False


class QueryUnderstandingInfo(Wire, frozen=True):
    query_classification_info: Details[QueryClassificationInfo] = ()


class WireAnswer(Wire, frozen=True):
    """An answer resource; a time is None if it is not a string."""

    name: Essential[str] = ""
    state: Essential[int | str] = ""
    answer_text: Essential[str] = ""
    citations: Details[WireCitation] = ()
    references: Essential[tuple[Reference, ...]] = ()
    steps: Details[Step] = ()
    create_time: str | None = ""
    complete_time: str | None = ""
    query_understanding_info: QueryUnderstandingInfo = QueryUnderstandingInfo()
    answer_skipped_reasons: Essential[tuple[int | str, ...]] = ()
    grounding_score: Essential[float | None] = None
    grounding_supports: Details[WireSupport] = ()
    safety_ratings: Essential[tuple[WireRating, ...]] = ()


class Query(Wire, frozen=True):
    text: str = ""


class Turn(Wire, frozen=True):
    query: Query = Query()
    answer: str = ""


class Session(Wire, frozen=True):
    name: str = ""
    turns: Details[Turn] = ()


class AnswerQueryResponse(Wire, frozen=True):
    """The response of answerQuery, and a publisher's wrapper {"query", "answer"}.

    The service does not write `query`: publishers add it, because the answer lacks it.
    """

    answer: Essential[WireAnswer] = WireAnswer()
    session: Session = Session()
    answer_query_token: str = ""
    query: str | Query = ""


class StreamError(Wire, frozen=True):  # a google.rpc.Status
    code: int | str = ""
    status: str = ""

    @property
    def name(self) -> str:
        """The status, else its number."""
        return self.status or str(self.code) or "UNKNOWN"


class StreamElement(AnswerQueryResponse, frozen=True):
    """One element of streamAnswer's array: a response, or the error that ended the stream."""

    error: StreamError | None = None
