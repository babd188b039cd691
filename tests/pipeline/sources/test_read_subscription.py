"""Read messages of a subscription from Beam's reader."""

from datetime import UTC, datetime
from typing import Any

import pytest
from apache_beam.io.gcp.pubsub import PubsubMessage
from apache_beam.utils.timestamp import Timestamp

from groundwatch.pipeline.sources.read_subscription import _to_message
from groundwatch.schemas.message import Message
from tests.support.builders import NOON_US

NOON = datetime.fromtimestamp(NOON_US / 1e6, UTC)
LATER = Timestamp(micros=NOON_US + 5)


def message_of(**fields: Any) -> Message:
    given = {"data": b"{}", "attributes": {"id": "a"}, "message_id": "7", "publish_time": NOON}
    [message] = _to_message(PubsubMessage(**given | fields), LATER)
    assert isinstance(message, Message)
    return message


def test_a_message_keeps_what_was_published() -> None:
    assert message_of() == Message(
        payload=b"{}", attributes={"id": "a"}, place="7", publish_time_us=NOON_US
    )


@pytest.mark.parametrize("attributes", [None, {}])
def test_a_message_without_attributes_has_none(attributes: dict[str, str] | None) -> None:
    assert message_of(attributes=attributes).attributes == {}


def test_an_invalid_event_time_is_left_to_the_parser() -> None:
    attributes = {"event_time": "yesterday"}
    assert message_of(attributes=attributes).attributes == attributes


def test_without_a_publish_time_the_element_timestamp_is_used() -> None:
    assert message_of(publish_time=None).publish_time_us == NOON_US + 5


def test_messages_without_ids_have_different_places() -> None:
    first, second = message_of(message_id=None), message_of(message_id="")
    assert first.place
    assert second.place
    assert first.place != second.place
