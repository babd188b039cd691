"""Wire types of Dialogflow CX (Conversational Agents): detectIntent, and its interaction log.

Source: googleapis, google/cloud/dialogflow/cx/v3/{session,data_store_connection}.proto.
"""

from .wire_type import Details, Essential, Wire


class Snippet(Wire, frozen=True):
    text: Essential[str] = ""
    document_title: str = ""
    document_uri: str = ""


class CitedSnippet(Wire, frozen=True):
    search_snippet: Essential[Snippet] = Snippet()


class Signals(Wire, frozen=True):
    """The decision of a check of the service; its other fields repeat texts."""

    decision: int | str = ""


class ModelCall(Wire, frozen=True):
    """A call of the service's own model: its prompt and its output repeat texts."""


class DataStoreSignals(Wire, frozen=True):
    answer: Essential[str] = ""
    search_snippets: Essential[tuple[Snippet, ...]] = ()
    cited_snippets: Essential[tuple[CitedSnippet, ...]] = ()
    grounding_signals: Signals = Signals()
    safety_signals: Signals = Signals()
    rewriter_model_call_signals: ModelCall = ModelCall()
    answer_generation_model_call_signals: ModelCall = ModelCall()


class ResponseText(Wire, frozen=True):
    text: Essential[tuple[str, ...]] = ()


class ResponseMessage(Wire, frozen=True):
    text: ResponseText = ResponseText()


class QueryResult(Wire, frozen=True):
    text: str = ""
    transcript: str = ""
    response_messages: Details[ResponseMessage] = ()
    data_store_connection_signals: DataStoreSignals = DataStoreSignals()


class DetectIntentResponse(Wire, frozen=True):
    response_id: str = ""
    query_result: Essential[QueryResult] = QueryResult()


class InputText(Wire, frozen=True):
    text: str = ""


class TurnInput(Wire, frozen=True):
    text: InputText = InputText()


class TurnRequest(Wire, frozen=True):
    query_input: TurnInput = TurnInput()


class DialogflowTurn(Wire, frozen=True):
    """A request with its response, as the interaction log keeps them."""

    request: TurnRequest = TurnRequest()
    response: Essential[DetectIntentResponse] = DetectIntentResponse()
