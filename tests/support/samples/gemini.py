"""Messages of the Gemini API: generateAnswer, a bare Candidate, GenerateContentResponse."""

from tests.support.samples.citing import best_passage, sentences
from tests.support.samples.events import Event
from tests.support.samples.gemini_shapes import (
    CANDIDATE,
    GENERATE_ANSWER_REQUEST,
    GENERATE_ANSWER_RESPONSE,
    GENERATE_CONTENT_RESPONSE,
)
from tests.support.samples.messages import Edit, Json, as_it_was
from tests.support.samples.serialisations import REST, TO_DICT, TO_JSON, Style, styled, to_line

_CORPUS = "corpora/quillow-help"


def _content(text: str, role: str = "model") -> Json:
    return {"parts": [{"text": text}], "role": role}


def _candidate(event: Event) -> Json:
    return {
        "index": 0,
        "content": _content(event.conversation.answer),
        "finishReason": "STOP",
        "safetyRatings": [
            {"category": "HARM_CATEGORY_DANGEROUS_CONTENT", "probability": "NEGLIGIBLE"}
        ],
        "tokenCount": len(event.conversation.answer) // 4,
    }


def _attributions(event: Event, kind: str) -> list[Json]:
    sources: dict[str, list[Json]] = {
        "passages": [
            {"groundingPassage": {"passageId": article.slug, "partIndex": 0}}
            for article, _ in event.conversation.passages
        ],
        "corpus": [
            {
                "semanticRetrieverChunk": {
                    "source": _CORPUS,
                    "chunk": f"{_CORPUS}/documents/{article.slug}/chunks/{index}",
                }
            }
            for index, (article, _) in enumerate(event.conversation.passages)
        ],
    }
    return [
        {"content": {"parts": [{"text": text}]}, "sourceId": source}
        for (_, text), source in zip(event.conversation.passages, sources[kind], strict=True)
    ]


def _retrieved(event: Event) -> Json:
    """The grounding metadata of an answer over a file search store."""
    passages = [text for _, text in event.conversation.passages]
    return {
        "groundingChunks": [
            {"retrievedContext": {"uri": article.uri, "title": article.title, "text": text}}
            for article, text in event.conversation.passages
        ],
        "groundingSupports": [
            {
                "segment": {"startIndex": span.start, "endIndex": span.end, "text": span.text},
                "groundingChunkIndices": [best_passage(span.text, passages)],
                "confidenceScores": [event.generator_score],
            }
            for span in sentences(event.conversation.answer)
        ],
    }


def searched_the_web(candidate: Json) -> None:
    """Turn the sources into web pages: the service gives their address but no text."""
    candidate["groundingMetadata"] = {
        "groundingChunks": [
            {"web": {"uri": "https://forum.example/t/812", "title": "forum.example"}}
        ],
        "webSearchQueries": ["quillow thermostat opinions"],
    }


def inline(event: Event, edit: Edit = as_it_was, style: Style = REST) -> bytes:
    """Write {"request", "response"} of generateAnswer with the passages in the request."""
    passages = [
        {"id": article.slug, "content": _content(text, role="")}
        for article, text in event.conversation.passages
    ]
    return _exchange(event, {"inlinePassages": {"passages": passages}}, "passages", edit, style)


def inline_to_dict(event: Event, edit: Edit = as_it_was) -> bytes:
    """Write {"request", "response"} with the Python client's `to_dict` for both."""
    return inline(event, edit, TO_DICT)


def retriever(event: Event, edit: Edit = as_it_was) -> bytes:
    """Write {"request", "response"} of generateAnswer over a corpus: the response has the text."""
    question = _content(event.conversation.question, role="user")
    source: Json = {"semanticRetriever": {"source": _CORPUS, "query": question}}
    return _exchange(event, source, "corpus", edit, REST)


def bare_response(event: Event, edit: Edit = as_it_was) -> bytes:
    """Write a response of generateAnswer alone, with the Python client's `to_json`."""
    response = _response(event, "corpus")
    edit(response)
    return to_line(styled(response, GENERATE_ANSWER_RESPONSE, TO_JSON), TO_JSON)


def _response(event: Event, kind: str) -> Json:
    attributed = {"groundingAttributions": _attributions(event, kind)}
    return {
        "answer": _candidate(event) | attributed,
        "answerableProbability": event.generator_score,
    }


def _exchange(event: Event, source: Json, kind: str, edit: Edit, style: Style) -> bytes:
    request = {
        "model": "models/aqa",
        "contents": [_content(event.conversation.question, role="user")],
        "answerStyle": "ABSTRACTIVE",
    }
    response = _response(event, kind)
    edit(response)
    exchange = {
        "request": styled(request | source, GENERATE_ANSWER_REQUEST, style),
        "response": styled(response, GENERATE_ANSWER_RESPONSE, style),
    }
    return to_line(exchange, style)


def attributed_candidate(event: Event, edit: Edit = as_it_was) -> bytes:
    """Write a bare Candidate with groundingAttributions, with the Python client's `to_dict`."""
    candidate = _candidate(event) | {"groundingAttributions": _attributions(event, "corpus")}
    edit(candidate)
    return to_line(styled(candidate, CANDIDATE, TO_DICT), TO_DICT)


def candidate(event: Event, edit: Edit = as_it_was) -> bytes:
    """Write a bare Candidate with groundingMetadata, as the REST service does."""
    message = _candidate(event) | {"groundingMetadata": _retrieved(event)}
    edit(message)
    return to_line(styled(message, CANDIDATE, REST))


def content_response(event: Event, edit: Edit = as_it_was, style: Style = REST) -> bytes:
    """Write a GenerateContentResponse as the REST service does."""
    response: Json = {
        "candidates": [_candidate(event) | {"groundingMetadata": _retrieved(event)}],
        "usageMetadata": {"promptTokenCount": 912, "candidatesTokenCount": 64},
        "modelVersion": "gemini-2.5-flash",
        "responseId": event.token[:24],
    }
    edit(response)
    return to_line(styled(response, GENERATE_CONTENT_RESPONSE, style), style)


def content_response_to_json(event: Event, edit: Edit = as_it_was) -> bytes:
    """Write a GenerateContentResponse with the Python client's `to_json`."""
    return content_response(event, edit, TO_JSON)
