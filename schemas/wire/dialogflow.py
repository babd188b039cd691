"""Wire types of Dialogflow CX (Conversational Agents): detectIntent, and its interaction log.

Source: googleapis, google/cloud/dialogflow/cx/v3/{session,data_store_connection}.proto.
"""

# ruff: noqa: D101 - the services' own pages describe the types and their fields

from typing import ClassVar

from schemas.wire.wire_type import Details, Essential, Wire, words


class Snippet(Wire, frozen=True):
    ignored: ClassVar = words("metadata")
    text: Essential[str] = ""
    document_title: str = ""
    document_uri: str = ""


class CitedSnippet(Wire, frozen=True):
    ignored: ClassVar = words("snippetIndex")
    search_snippet: Essential[Snippet] = Snippet()


class Signals(Wire, frozen=True):
    """The decision of a check of the service; its other fields repeat texts."""

    ignored: ClassVar = words("score bannedPhraseMatch matchedBannedPhrase")
    decision: int | str = ""


class DataStoreSignals(Wire, frozen=True):
    # Calls of the models, with their prompts.
    ignored: ClassVar = words("""
        rewriterModelCallSignals rewrittenQuery answerGenerationModelCallSignals
    """)
    text_field: ClassVar = "answer"
    facts_field: ClassVar = "searchSnippets"
    answer: Essential[str] = ""
    search_snippets: Essential[tuple[Snippet, ...]] = ()
    cited_snippets: Essential[tuple[CitedSnippet, ...]] = ()
    grounding_signals: Signals = Signals()
    safety_signals: Signals = Signals()


class ResponseText(Wire, frozen=True):
    ignored: ClassVar = words("allowPlaybackInterruption")
    text: Essential[tuple[str, ...]] = ()


class ResponseMessage(Wire, frozen=True):
    # Other kinds of messages than text.
    ignored: ClassVar = words("""
        payload conversationSuccess outputAudioText liveAgentHandoff endInteraction playAudio
        mixedAudio telephonyTransferCall knowledgeInfoCard toolCall channel source responseType
    """)
    text: ResponseText = ResponseText()


class QueryResult(Wire, frozen=True):
    # The state of the conversation, and what webhooks returned.
    ignored: ClassVar = words("""
        languageCode parameters currentPage currentFlow intent intentDetectionConfidence match
        diagnosticInfo sentimentAnalysisResult advancedSettings allowAnswerFeedback triggerIntent
        triggerEvent dtmf webhookStatuses webhookPayloads webhookIds webhookDisplayNames
        webhookLatencies webhookTags traceBlocks
    """)
    text: str = ""
    transcript: str = ""
    response_messages: Details[ResponseMessage] = ()
    data_store_connection_signals: DataStoreSignals = DataStoreSignals()


class DetectIntentResponse(Wire, frozen=True):
    ignored: ClassVar = words("outputAudio outputAudioConfig responseType allowCancellation")
    response_id: str = ""
    query_result: Essential[QueryResult] = QueryResult()


class DialogflowTurn(Wire, frozen=True):
    """A request with its response, as the interaction log keeps them."""

    ignored: ClassVar = words("request")  # the query result repeats the question
    response: Essential[DetectIntentResponse] = DetectIntentResponse()
