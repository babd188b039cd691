"""Messages of Discovery Engine: Answer in three versions, AnswerQueryResponse."""

from tests.support.samples.citing import best_passage, sentences
from tests.support.samples.discovery_shapes import ANSWER, ANSWER_QUERY_RESPONSE
from tests.support.samples.events import Event, document, timestamp
from tests.support.samples.messages import Edit, Json, as_it_was
from tests.support.samples.serialisations import (
    MESSAGE_TO_JSON,
    REST,
    REST_FROM_PYTHON,
    TO_DICT,
    TO_JSON,
    Style,
    styled,
    to_line,
)


def answer(event: Event) -> Json:
    """Build an Answer with the fields that all three versions have, enums by name."""
    conversation = event.conversation
    passages = [text for _, text in conversation.passages]
    return {
        "name": event.answer_name,
        "state": "SUCCEEDED",
        "answerText": conversation.answer,
        "citations": [
            {"startIndex": span.start, "endIndex": span.end, "sources": [source]}
            for span in sentences(conversation.answer)
            for source in [{"referenceId": str(best_passage(span.text, passages))}]
        ],
        "references": _references(event),
        "relatedQuestions": [f"What else should I know about {conversation.articles[0].title}?"],
        "steps": [_search_step(event)],
        "createTime": timestamp(event.asked_at),
        "completeTime": timestamp(event.answered_at),
        "queryUnderstandingInfo": {
            "queryClassificationInfo": [
                {"type": "ADVERSARIAL_QUERY", "positive": False},
                {"type": "NON_ANSWER_SEEKING_QUERY", "positive": False},
            ]
        },
    }


def graded_answer(event: Event) -> Json:
    """Build an Answer with what the newer versions add: grounding supports, safety ratings."""
    plain = answer(event)
    graded = {"groundingScore": event.generator_score, "groundingCheckRequired": True}
    supports = [{**citation, **graded} for citation in plain["citations"]]
    return plain | {
        "groundingScore": event.generator_score,
        "groundingSupports": supports,
        "safetyRatings": [
            {
                "category": "HARM_CATEGORY_HARASSMENT",
                "probability": "NEGLIGIBLE",
                "probabilityScore": 0.03125,
                "severity": "HARM_SEVERITY_NEGLIGIBLE",
                "severityScore": 0.015625,
            }
        ],
    }


def _references(event: Event) -> list[Json]:
    """One reference a passage, in their order, the kind changing from answer to answer."""
    kinds = (_chunk, _chunk, _chunk, _unstructured, _chunk, _unstructured, _structured)
    kind = kinds[event.number % len(kinds)]
    return [kind(event, index) for index in range(len(event.conversation.passages))]


def _chunk(event: Event, index: int) -> Json:
    article, text = event.conversation.passages[index]
    metadata = {"document": document(article), "uri": article.uri, "title": article.title}
    return {
        "chunkInfo": {
            "chunk": f"{document(article)}/chunks/c{index + 1}",
            "content": text,
            "relevanceScore": round(0.95 - 0.11 * index, 2),
            "documentMetadata": metadata | {"pageIdentifier": str(index % 2 + 1)},
        }
    }


def _unstructured(event: Event, index: int) -> Json:
    article, text = event.conversation.passages[index]
    return {
        "unstructuredDocumentInfo": {
            "document": document(article),
            "uri": article.uri,
            "title": article.title,
            "chunkContents": [{"content": text, "pageIdentifier": str(index % 2 + 1)}],
        }
    }


def _structured(event: Event, index: int) -> Json:
    article, text = event.conversation.passages[index]
    return {
        "structuredDocumentInfo": {
            "document": document(article),
            "structData": {"heading": article.title, "body": text, "reviewed": "2026-02-17"},
            "title": article.title,
            "uri": article.uri,
        }
    }


def _search_step(event: Event) -> Json:
    conversation = event.conversation
    found = [
        {
            "document": document(article),
            "uri": article.uri,
            "title": article.title,
            "snippetInfo": [
                {"snippet": f"<b>{article.title}</b>&nbsp;...", "snippetStatus": "SUCCESS"}
            ],
        }
        for article in conversation.articles
    ]
    return {
        "state": "SUCCEEDED",
        "description": "Rephrase the query and search.",
        "actions": [
            {
                "searchAction": {"query": conversation.question.lower().rstrip("?")},
                "observation": {"searchResults": found},
            }
        ],
    }


def v1(event: Event, edit: Edit = as_it_was) -> bytes:
    """Write an Answer of v1 as the REST service does."""
    message = answer(event)
    edit(message)
    return to_line(styled(message, ANSWER, REST))


def v1alpha(event: Event, edit: Edit = as_it_was) -> bytes:
    """Write an Answer of v1alpha: older, without titles of structured documents."""
    message = answer(event)
    for reference in message["references"]:
        if info := reference.get("structuredDocumentInfo"):
            del info["title"], info["uri"]
    edit(message)
    return to_line(styled(message, ANSWER, MESSAGE_TO_JSON), MESSAGE_TO_JSON)


def v1beta(event: Event, edit: Edit = as_it_was, style: Style = REST) -> bytes:
    """Write an Answer of v1beta as the REST service does."""
    message = graded_answer(event)
    edit(message)
    return to_line(styled(message, ANSWER, style), style)


def v1beta_from_python(event: Event, edit: Edit = as_it_was) -> bytes:
    """Write an Answer as it comes through the Python client's REST transport."""
    return v1beta(event, edit, REST_FROM_PYTHON)


def v1beta_to_json(event: Event, edit: Edit = as_it_was) -> bytes:
    """Write an Answer with the Python client's `Answer.to_json`."""
    return v1beta(event, edit, TO_JSON)


def v1beta_to_dict(event: Event, edit: Edit = as_it_was) -> bytes:
    """Write an Answer with the Python client's `Answer.to_dict` and `json.dumps`."""
    return v1beta(event, edit, TO_DICT)


def wrapped(event: Event, edit: Edit = as_it_was) -> bytes:
    """Write {"query", "answer"}, as a publisher does who keeps the question beside the answer."""
    message = answer(event)
    edit(message)
    question = event.conversation.question
    query = question if event.number % 2 else {"text": question}
    return to_line({"query": query, "answer": styled(message, ANSWER, REST)})


def answer_query(event: Event, edit: Edit = as_it_was, style: Style = REST) -> bytes:
    """Write the AnswerQueryResponse of a query within a session."""
    message = graded_answer(event)
    edit(message)
    response = {"answer": message, "session": session(event), "answerQueryToken": event.token}
    return to_line(styled(response, ANSWER_QUERY_RESPONSE, style), style)


def answer_query_to_json(event: Event, edit: Edit = as_it_was) -> bytes:
    """Write an AnswerQueryResponse with the Python client's `to_json`."""
    return answer_query(event, edit, TO_JSON)


def answer_query_without_session(event: Event, edit: Edit = as_it_was) -> bytes:
    """Write the AnswerQueryResponse of a query on its own: only the token names it."""
    message = answer(event)
    del message["name"]
    edit(message)
    response = {"answer": message, "answerQueryToken": event.token}
    return to_line(styled(response, ANSWER_QUERY_RESPONSE, REST))


def session(event: Event) -> Json:
    """Build the Session that an answer belongs to."""
    query = {"text": event.conversation.question, "queryId": f"{event.session_name}/queries/1"}
    return {
        "name": event.session_name,
        "state": "IN_PROGRESS",
        "userPseudoId": f"visitor-{event.session:04d}",
        "turns": [{"query": query, "answer": event.answer_name}],
        "startTime": timestamp(event.asked_at),
    }
