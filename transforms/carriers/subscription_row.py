"""A row of a Pub/Sub subscription that writes to BigQuery, with or without its metadata.

Source: https://docs.cloud.google.com/pubsub/docs/bigquery
"""

from collections.abc import Iterator, Mapping
from typing import Any

from schemas.wire.json_input import read_embedded
from schemas.wire.wire_type import words
from transforms.carriers.carrier import Carried, Carrier, text_attributes

_COLUMNS = frozenset(words("subscriptionName messageId publishTime data attributes"))


def _unwrap(row: Mapping[str, Any]) -> Iterator[Carried]:
    attributes = read_embedded(row.get("attributes"))
    yield Carried(
        body=row["data"],
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
