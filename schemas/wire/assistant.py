"""Wire types of Gemini Enterprise's assistant: AssistAnswer, and entries of the user activity log.

Offsets are UTF-8 bytes within their reply's text, end exclusive; an enum is a name or a number.
Sources: google-cloud-discoveryengine 0.20.5, discoveryengine_v1/types/{assist_answer,
assistant_service}.py; https://docs.cloud.google.com/gemini/enterprise/docs/set-up-usage-audit-logs
"""

from . import discovery_engine
from .discovery_engine_methods import GroundedContentResponse
from .gemini import Content, ExecutedCode
from .wire_type import Details, Essential, Wire


class AssistSegment(Wire, frozen=True):
    start_index: Essential[int] = 0
    end_index: Essential[int] = 0
    reference_indices: Details[int] = ()
    grounding_score: float | None = None


class AssistDocument(discovery_engine.Document, frozen=True):
    """A document that other known fields describe."""


class AssistReference(discovery_engine.Chunk, frozen=True):
    code_snippet: str = ""
    document_metadata: AssistDocument = AssistDocument()


class TextGroundingMetadata(Wire, frozen=True):
    segments: Details[AssistSegment] = ()
    references: Essential[tuple[AssistReference, ...]] = ()


class AssistContent(Wire, frozen=True):
    text: Essential[str] = ""
    thought: bool = False
    code_execution_result: ExecutedCode = ExecutedCode()


class GroundedContent(Wire, frozen=True):
    content: Essential[AssistContent] = AssistContent()
    text: Essential[str] = ""  # the name in the log's documentation
    text_grounding_metadata: TextGroundingMetadata = TextGroundingMetadata()


class AssistReply(Wire, frozen=True):
    grounded_content: Essential[GroundedContent] = GroundedContent()


class PolicyEnforcement(Wire, frozen=True):
    verdict: int | str = ""


class AssistAnswer(Wire, frozen=True):
    name: Essential[str] = ""
    state: Essential[int | str] = ""
    replies: Essential[tuple[AssistReply, ...]] = ()
    assist_skipped_reasons: Essential[tuple[int | str, ...]] = ()
    skipped_reasons: Essential[tuple[int | str, ...]] = ()  # the name in the log's documentation
    customer_policy_enforcement_result: PolicyEnforcement = PolicyEnforcement()


class SessionInfo(Wire, frozen=True):
    session: str = ""


class AssistResponse(Wire, frozen=True):
    """A response of assist or streamAssist, or an error that ended the stream."""

    answer: Essential[AssistAnswer] = AssistAnswer()
    session_info: SessionInfo = SessionInfo()
    assist_token: str = ""
    error: discovery_engine.StreamError | None = None
    query: str | discovery_engine.Query = ""


class LogMetadata(Wire, frozen=True):
    timestamp: str | None = ""
    name: str = ""


class ActivityQuery(discovery_engine.Query, frozen=True):
    parts: Details[discovery_engine.Query] = ()


class ActivityRequest(Wire, frozen=True):
    name: str = ""
    query: str | ActivityQuery = ""
    contents: Details[Content] = ()


class Activity(Wire, frozen=True):
    """An entry of the log without its response; `serviceTextReply` repeats the answer's text."""

    log_metadata: LogMetadata = LogMetadata()
    request: ActivityRequest = ActivityRequest()
    service_text_reply: str = ""


class AssistActivity(Activity, frozen=True):
    response: AssistResponse | tuple[AssistResponse, ...] = AssistResponse()


class BareActivity(Activity, frozen=True):
    response: AssistAnswer = AssistAnswer()


class SearchActivity(Activity, frozen=True):
    response: discovery_engine.AnswerQueryResponse | tuple[discovery_engine.StreamElement, ...] = (
        discovery_engine.AnswerQueryResponse()
    )


class GroundedActivity(Activity, frozen=True):
    response: GroundedContentResponse = GroundedContentResponse()
