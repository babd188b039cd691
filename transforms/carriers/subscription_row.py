"""A row of a Pub/Sub subscription that writes to BigQuery, with or without its metadata.

Source: https://docs.cloud.google.com/pubsub/docs/bigquery
"""

from collections.abc import Iterator, Mapping
from typing import Any

from schemas.wire.json_input import JSON_STARTS, read_embedded
from schemas.wire.wire_type import words
from transforms.carriers.carrier import CarriedBody, Carrier, text_attributes
from transforms.carriers.push_body import decode_data

_COLUMNS = frozenset(words("subscriptionName messageId publishTime data attributes"))


def _unwrap(row: Mapping[str, Any]) -> Iterator[CarriedBody]:
    attributes, data = read_embedded(row.get("attributes")), row["data"]
    is_base64 = isinstance(data, str) and not data.lstrip().startswith(JSON_STARTS)
    yield CarriedBody(
        body=decode_data(data) if is_base64 else data,  # an export of bytes is base64
        attributes=text_attributes(**attributes if isinstance(attributes, dict) else {})
        | text_attributes(groundwatch_carrier_id=row.get("messageId")),
        publish_time=str(row.get("publishTime", "")),
    )


SUBSCRIPTION_ROW = Carrier(
    name="subscription row",
    marks=frozenset({"data"}),
    knows=_COLUMNS.__contains__,
    detects=lambda row: _COLUMNS.issuperset(row) and isinstance(row["data"], str | dict),
    unwrap=_unwrap,
)
