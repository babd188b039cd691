"""Rows with a request and its response: logs of Vertex AI and Dialogflow CX, and batch jobs.

Sources: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/
request-response-logging and batch-prediction-gemini;
https://docs.cloud.google.com/dialogflow/cx/docs/concept/export-bq
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.wire.json_input import has_any, read_embedded
from groundwatch.schemas.wire.wire_type import words
from groundwatch.transforms.formats.unread_content import UNKNOWN, SearchedPart, all_but
from .carrier import CarriedBody, Carrier, text_attributes

_GEMINI_FIELDS = frozenset({"candidates", "promptFeedback", "error"})
_CHAT_FIELDS = frozenset({"messages"})
_REQUEST_FIELDS = _CHAT_FIELDS | {"contents"}  # of requests that are read with their responses
_FIRST_WORDS = re.compile(r"(\w[\w ]*)")
_STATUS_NAME = re.compile(r'"status"\s*:\s*"([A-Z_]+)"')


def _unwrap_log(row: Mapping[str, Any]) -> Iterator[CarriedBody]:
    asked, response = _logged(row, "Request"), _logged(row, "Response")
    if not response:
        raise UnreadableAnswer(
            "The row of the request-response log has no response: select rows with full_response."
        )
    if isinstance(asked, list):
        asked = next(iter(asked), {})  # a list of texts holds the one request
    chunks = response if isinstance(response, list) else [response]
    is_gemini = any(has_any(each, _GEMINI_FIELDS) for each in chunks)
    # Partner models have formats of their own, in which most are chats.
    is_pair = is_gemini or has_any(asked, _CHAT_FIELDS)
    yield CarriedBody(
        body={"request": asked or {}, "response": response} if is_pair else response,
        attributes=text_attributes(
            format="vertex" if is_gemini else "",
            groundwatch_repeatable_id=f"vertex/{row['requestId']}" if "requestId" in row else "",
            groundwatch_carrier_time=row.get("loggingTime"),
        ),
    )


def _unread_of_log(row: Mapping[str, Any]) -> Iterator[SearchedPart]:
    # The log in OpenTelemetry's words repeats the bodies.
    yield from all_but(*words("requestPayload responsePayload fullRequest fullResponse otelLog"))(
        row
    )
    asked = _logged(row, "Request")
    if isinstance(asked, dict) and not has_any(asked, _REQUEST_FIELDS):
        yield "fullRequest", asked, UNKNOWN


def _logged(row: Mapping[str, Any], side: str) -> object:
    """Return a body; `request_payload` and `response_payload` hold a list of texts."""
    names = (f"full{side}", f"{side.lower()}Payload")
    body = next(filter(None, (read_embedded(row.get(name)) for name in names)), None)
    return [read_embedded(each) for each in body] if isinstance(body, list) else body


VERTEX_LOG = Carrier(
    name="request-response log",
    marks=frozenset(words("fullResponse responsePayload")),
    unread=_unread_of_log,
    detects=lambda row: not {"loggingTime", "requestId", "apiMethod"}.isdisjoint(row),
    unwrap=_unwrap_log,
)


def _unwrap_output(line: Mapping[str, Any]) -> Iterator[CarriedBody]:
    response = read_embedded(line.get("response", {}))
    status = line.get("status") or line.get("error")
    if status and not response:
        response = {"error": status if isinstance(status, dict) else {"status": _name(status)}}
    yield CarriedBody(
        body={"request": read_embedded(line.get("request", {})), "response": response},
        attributes=text_attributes(
            format="" if "key" in line else "vertex",  # the Gemini API names its lines
            groundwatch_carrier_time=line.get("processedTime"),
        ),
    )


def _name(status: object) -> str:
    """Return the name of a status, such as `Bad Request: {"error": {…, "status": "…"}}`."""
    text = status if isinstance(status, str) else ""
    named = _STATUS_NAME.search(text) or _FIRST_WORDS.search(text)
    return named[1][:60].upper().replace(" ", "_") if named else "ERROR"


def _is_batch_output(line: Mapping[str, Any]) -> bool:
    if "processedTime" in line:
        return "request" in line
    is_request = has_any(read_embedded(line.get("request")), {"contents"})
    return is_request or has_any(read_embedded(line.get("response")), {"candidates"})


BATCH_OUTPUT = Carrier(
    name="batch output",
    marks=frozenset({"processedTime", "status", "key"}),
    unread=all_but(*words("request response status error")),
    detects=_is_batch_output,
    unwrap=_unwrap_output,
)


def _unwrap_turn(row: Mapping[str, Any]) -> Iterator[CarriedBody]:
    conversation = str(row.get("conversationName", ""))
    turn = row.get("turnPosition", "")
    yield CarriedBody(
        body={side: read_embedded(row.get(side, {})) for side in ("request", "response")},
        attributes=text_attributes(
            groundwatch_carrier_id=f"{conversation}/{turn}",
            groundwatch_carrier_time=row.get("requestTime"),
            session=conversation.rpartition("/")[2],
            engine=row.get("agentId"),
        ),
    )


def _unread_of_turn(row: Mapping[str, Any]) -> Iterator[SearchedPart]:
    # The partial responses and the derived data repeat the response.
    yield from all_but("request", "response", "partialResponses", "derivedData")(row)
    derived = row.get("derivedData")
    if isinstance(derived, dict):
        yield from all_but("agentUtterances", "userUtterances")(derived)


DIALOGFLOW_ROW = Carrier(
    name="interaction log",
    marks=frozenset({"conversationName"}),
    unread=_unread_of_turn,
    detects=lambda row: "turnPosition" in row and "response" in row,
    unwrap=_unwrap_turn,
)
