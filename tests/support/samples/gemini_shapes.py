"""The Gemini API's message types, as far as the sample writes them.

Source: google/ai/generativelanguage/v1beta/{generative_service,content,safety}.proto in
googleapis/googleapis. Its harm categories are numbered differently from Discovery Engine's.
"""

from groundwatch.schemas.wire import enums
from tests.support.samples.fields import (
    BOOLEAN,
    DOUBLE,
    DOUBLES,
    INT32,
    INT32S,
    OPTIONAL,
    TEXT,
    TEXTS,
    Field,
    Shape,
    choice,
    many,
    one,
)

CONTENT: Shape = {
    "parts": many({"text": OPTIONAL, "thought": BOOLEAN, "thoughtSignature": TEXT}),
    "role": TEXT,
}
HARM_CATEGORY = choice(*enums.GEMINI_HARM_CATEGORIES)
RATING: Shape = {
    "category": HARM_CATEGORY,
    "probability": choice(*enums.HARM_PROBABILITIES),
    "blocked": BOOLEAN,
}
FINISH_REASON = choice(*enums.FINISH_REASONS)
ATTRIBUTION: Shape = {
    "content": one(CONTENT),
    "sourceId": one(
        {
            "groundingPassage": one({"passageId": TEXT, "partIndex": INT32}),
            "semanticRetrieverChunk": one({"source": TEXT, "chunk": TEXT}),
        }
    ),
}
GROUNDING_METADATA: Shape = {
    "searchEntryPoint": one({"renderedContent": TEXT, "sdkBlob": TEXT}),
    "groundingChunks": many(
        {
            "web": one({"uri": OPTIONAL, "title": OPTIONAL}),
            "retrievedContext": one({"uri": OPTIONAL, "title": OPTIONAL, "text": OPTIONAL}),
        }
    ),
    "groundingSupports": many(
        {
            "segment": one(
                {"partIndex": INT32, "startIndex": INT32, "endIndex": INT32, "text": TEXT}
            ),
            "groundingChunkIndices": INT32S,
            "confidenceScores": DOUBLES,
        }
    ),
    "webSearchQueries": TEXTS,
}
CANDIDATE: Shape = {
    "index": OPTIONAL,
    "content": one(CONTENT),
    "finishReason": FINISH_REASON,
    "safetyRatings": many(RATING),
    "tokenCount": INT32,
    "groundingAttributions": many(ATTRIBUTION),
    "groundingMetadata": one(GROUNDING_METADATA),
    "avgLogprobs": DOUBLE,
}
INPUT_FEEDBACK: Shape = {
    "blockReason": Field(names=enums.BLOCK_REASONS[:3]),
    "safetyRatings": many(RATING),
}
PROMPT_FEEDBACK: Shape = {
    "blockReason": choice(*enums.BLOCK_REASONS),
    "safetyRatings": many(RATING),
}
GENERATE_ANSWER_REQUEST: Shape = {
    "model": TEXT,
    "contents": many(CONTENT),
    "answerStyle": choice("ANSWER_STYLE_UNSPECIFIED", "ABSTRACTIVE", "EXTRACTIVE", "VERBOSE"),
    "inlinePassages": one({"passages": many({"id": TEXT, "content": one(CONTENT)})}),
    "semanticRetriever": one({"source": TEXT, "query": one(CONTENT)}),
    "safetySettings": many({"category": HARM_CATEGORY, "threshold": TEXT}),
}
GENERATE_ANSWER_RESPONSE: Shape = {
    "answer": one(CANDIDATE),
    "answerableProbability": OPTIONAL,
    "inputFeedback": one(INPUT_FEEDBACK),
}
GENERATE_CONTENT_RESPONSE: Shape = {
    "candidates": many(CANDIDATE),
    "promptFeedback": one(PROMPT_FEEDBACK),
    "usageMetadata": one(
        {
            "promptTokenCount": INT32,
            "cachedContentTokenCount": INT32,
            "candidatesTokenCount": INT32,
            "toolUsePromptTokenCount": INT32,
            "thoughtsTokenCount": INT32,
            "totalTokenCount": INT32,
            "promptTokensDetails": many({}),
            "cacheTokensDetails": many({}),
            "candidatesTokensDetails": many({}),
            "toolUsePromptTokensDetails": many({}),
        }
    ),
    "modelVersion": TEXT,
    "responseId": TEXT,
}
