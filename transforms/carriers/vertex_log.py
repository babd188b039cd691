"""A row of Vertex AI's request-response log in BigQuery.

Source: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/request-response-logging
"""

from collections.abc import Iterator, Mapping
from typing import Any

from schemas.message import UnreadableAnswer
from schemas.wire.json_input import read_embedded
from schemas.wire.wire_type import words
from transforms.carriers.carrier import CarriedBody, Carrier, text_attributes

_FIELDS = frozenset({"candidates", "promptFeedback", "error"})


def _unwrap(row: Mapping[str, Any]) -> Iterator[CarriedBody]:
    asked, response = (
        _body(row.get(f"full{side}")) or _body(row.get(f"{side.lower()}Payload"))
        for side in ("Request", "Response")
    )
    if not response:
        raise UnreadableAnswer(
            "The row of the request-response log has no response: select rows with full_response."
        )
    if isinstance(asked, list):
        asked = next(iter(asked), {})  # a list of texts holds the one request
    chunks = response if isinstance(response, list) else [response]
    is_gemini = any(isinstance(each, dict) and not _FIELDS.isdisjoint(each) for each in chunks)
    yield CarriedBody(
        # Other models have formats of their own.
        body={"request": asked or {}, "response": response} if is_gemini else response,
        attributes=text_attributes(
            format="vertex" if is_gemini else "",
            groundwatch_carrier_id=f"vertex/{row['requestId']}" if "requestId" in row else "",
            groundwatch_carrier_time=row.get("loggingTime"),
        ),
    )


def _body(value: object) -> object:
    """Parse a body; `request_payload` and `response_payload` hold a list of texts."""
    body = read_embedded(value)
    return [read_embedded(each) for each in body] if isinstance(body, list) else body


VERTEX_LOG = Carrier(
    name="request-response log",
    marks=frozenset(words("fullResponse responsePayload")),
    knows=frozenset(
        words("""
            endpoint deployedModelId loggingTime requestId requestPayload responsePayload model
            modelVersion apiMethod fullRequest fullResponse metadata otelLog
        """)
    ).__contains__,
    detects=lambda row: not {"loggingTime", "requestId", "apiMethod"}.isdisjoint(row),
    unwrap=_unwrap,
)
