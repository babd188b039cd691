"""A row of Dialogflow CX's interaction log in BigQuery.

Source: https://docs.cloud.google.com/dialogflow/cx/docs/concept/export-bq
"""

from collections.abc import Iterator, Mapping
from typing import Any

from schemas.wire.json_input import read_embedded
from schemas.wire.wire_type import words
from transforms.carriers.carrier import CarriedBody, Carrier, text_attributes


def _unwrap(row: Mapping[str, Any]) -> Iterator[CarriedBody]:
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


DIALOGFLOW_ROW = Carrier(
    name="interaction log",
    marks=frozenset({"conversationName"}),
    knows=frozenset(
        words("""
            projectId agentId conversationName turnPosition requestTime languageCode request
            response partialResponses derivedData conversationSignals botAnswerFeedback
        """)
    ).__contains__,
    detects=lambda row: "turnPosition" in row and "response" in row,
    unwrap=_unwrap,
)
