"""A line, or a row, of the output of a Gemini batch job.

Source: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/batch-prediction-gemini
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from schemas.wire.json_input import read_embedded
from schemas.wire.wire_type import words
from transforms.carriers.carrier import CarriedBody, Carrier, text_attributes

_FIRST_WORDS = re.compile(r"(\w[\w ]*)")
_STATUS_NAME = re.compile(r'"status"\s*:\s*"([A-Z_]+)"')


def _unwrap(line: Mapping[str, Any]) -> Iterator[CarriedBody]:
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


def _name(status: str) -> str:
    """Return the name of a status, such as `Bad Request: {"error": {…, "status": "…"}}`."""
    named = _STATUS_NAME.search(status) or _FIRST_WORDS.search(status)
    return named[1][:60].upper().replace(" ", "_") if named else "ERROR"


def _is_batch_output(line: Mapping[str, Any]) -> bool:
    if "processedTime" in line:
        return "request" in line
    sides = [read_embedded(line.get(side, {})) for side in ("request", "response")]
    is_response = isinstance(sides[1], dict) and "candidates" in sides[1]
    return is_response or (isinstance(sides[0], dict) and "contents" in sides[0])


BATCH_OUTPUT = Carrier(
    name="batch output",
    marks=frozenset({"processedTime", "status", "key"}),
    knows=frozenset(words("request response status processedTime key error")).__contains__,
    detects=_is_batch_output,
    unwrap=_unwrap,
)
