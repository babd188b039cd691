"""Discovery Engine's message types, as far as the sample writes them.

Source: google/cloud/discoveryengine/v1beta/{answer,session}.proto in googleapis/googleapis.
"""

from groundwatch.schemas.wire import enums
from tests.support.samples.fields import (
    BOOLEAN,
    DOUBLE,
    INT64,
    INT64S,
    MAP,
    OPTIONAL,
    TEXT,
    TEXTS,
    Field,
    Shape,
    choice,
    many,
    one,
)

STEP_STATE = choice("STATE_UNSPECIFIED", "IN_PROGRESS", "FAILED", "SUCCEEDED")
STATE = choice(*enums.ANSWER_STATES)
SKIP_REASONS = Field(repeated=True, names=enums.ANSWER_SKIPPED_REASONS)
QUERY_TYPE = choice(*enums.QUERY_CLASSIFICATION_TYPES)
PROBABILITY = choice(*enums.HARM_PROBABILITIES)
SEVERITY = choice(*enums.HARM_SEVERITIES)

ANSWER_RATING: Shape = {
    "category": choice(*enums.DISCOVERY_ENGINE_HARM_CATEGORIES),
    "probability": PROBABILITY,
    "probabilityScore": DOUBLE,
    "severity": SEVERITY,
    "severityScore": DOUBLE,
    "blocked": BOOLEAN,
}
CITATION_SOURCE: Shape = {"referenceId": TEXT}
CITATION: Shape = {"startIndex": INT64, "endIndex": INT64, "sources": many(CITATION_SOURCE)}
SUPPORT: Shape = {**CITATION, "groundingScore": OPTIONAL, "groundingCheckRequired": OPTIONAL}
CHUNK_CONTENT: Shape = {
    "content": TEXT,
    "pageIdentifier": TEXT,
    "relevanceScore": OPTIONAL,
    "blobAttachmentIndexes": INT64S,
}
DOCUMENT_METADATA: Shape = {
    "document": TEXT,
    "uri": TEXT,
    "title": TEXT,
    "pageIdentifier": TEXT,
    "structData": OPTIONAL,
}
REFERENCE: Shape = {
    "unstructuredDocumentInfo": one(
        {
            "document": TEXT,
            "uri": TEXT,
            "title": TEXT,
            "chunkContents": many(CHUNK_CONTENT),
            "structData": OPTIONAL,
        }
    ),
    "chunkInfo": one(
        {
            "chunk": TEXT,
            "content": TEXT,
            "relevanceScore": OPTIONAL,
            "documentMetadata": one(DOCUMENT_METADATA),
            "blobAttachmentIndexes": INT64S,
        }
    ),
    "structuredDocumentInfo": one(
        {"document": TEXT, "structData": OPTIONAL, "title": TEXT, "uri": TEXT}
    ),
}
SEARCH_RESULT: Shape = {
    "document": TEXT,
    "uri": TEXT,
    "title": TEXT,
    "snippetInfo": many({"snippet": TEXT, "snippetStatus": TEXT}),
    "chunkInfo": many({"chunk": TEXT, "content": TEXT, "relevanceScore": OPTIONAL}),
    "structData": OPTIONAL,
}
STEP: Shape = {
    "state": STEP_STATE,
    "description": TEXT,
    "thought": TEXT,
    "actions": many(
        {
            "searchAction": one({"query": TEXT}),
            "observation": one({"searchResults": many(SEARCH_RESULT)}),
        }
    ),
}
ANSWER: Shape = {
    "name": TEXT,
    "state": STATE,
    "answerText": TEXT,
    "groundingScore": OPTIONAL,
    "citations": many(CITATION),
    "groundingSupports": many(SUPPORT),
    "references": many(REFERENCE),
    "blobAttachments": many(
        {
            "data": one({"mimeType": TEXT, "data": TEXT}),
            "attributionType": choice("ATTRIBUTION_TYPE_UNSPECIFIED", "CORPUS", "GENERATED"),
        }
    ),
    "relatedQuestions": TEXTS,
    "steps": many(STEP),
    "queryUnderstandingInfo": one(
        {"queryClassificationInfo": many({"type": QUERY_TYPE, "positive": BOOLEAN})}
    ),
    "answerSkippedReasons": SKIP_REASONS,
    "createTime": OPTIONAL,
    "completeTime": OPTIONAL,
    "safetyRatings": many(ANSWER_RATING),
}
SESSION: Shape = {
    "name": TEXT,
    "displayName": TEXT,
    "state": choice("STATE_UNSPECIFIED", "IN_PROGRESS"),
    "userPseudoId": TEXT,
    "turns": many(
        {
            "query": one({"text": OPTIONAL, "queryId": TEXT}),
            "answer": TEXT,
            "queryConfig": MAP,
            "live": BOOLEAN,
        }
    ),
    "labels": TEXTS,
    "startTime": OPTIONAL,
    "endTime": OPTIONAL,
    "isPinned": BOOLEAN,
    "pendingAsyncAssistOperationId": TEXT,
}
ANSWER_QUERY_RESPONSE: Shape = {
    "answer": one(ANSWER),
    "session": one(SESSION),
    "answerQueryToken": TEXT,
}
