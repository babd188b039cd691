"""Alerts and failures as JSON, against their schemas."""

import json

import fastavro.validation
import msgspec
import pytest

from schemas.alert import Alert, alert_to_json
from schemas.avro import load_schema
from schemas.failure import Failure, failure_to_json, message_of_failure
from schemas.message import EarlierFailure
from tests.support.whole_records import ALERTS, FAILURES


@pytest.mark.parametrize("alert", ALERTS.values(), ids=ALERTS)
def test_an_alerts_json_is_a_value_of_its_schema(alert: Alert) -> None:
    assert_json_of("alert", alert_to_json(alert))


def test_an_alert_says_its_times_as_people_write_them() -> None:
    assert json.loads(alert_to_json(ALERTS["a rate's"])) == {
        **dict.fromkeys(field_names("alert")),
        "kind": "rate",
        "engine": "shop",
        "tags": [],
        "event_time": "2026-03-03T12:00:00.000000Z",
        "severity": "info",
        "rate": {
            "signal": "failed",
            "state": "open",
            "share": 0.5,
            "burn_rate": 5.0,
            "answers": 10,
            "opened_at": "2026-03-03T12:00:00.000000Z",
        },
    }
    assert json.loads(alert_to_json(ALERTS["a silence's"]))["no_data"] == {
        "state": "open",
        "answers_before": 30,
        "last_answer_at": "2026-03-03T11:30:00.000000Z",
        "opened_at": "2026-03-03T12:00:00.000000Z",
    }


@pytest.mark.parametrize("with_payload", [True, False])
@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_a_failures_json_is_a_value_of_its_schema(failure: Failure, with_payload: bool) -> None:
    assert_json_of("failure", failure_to_json(failure, with_payload=with_payload))


def assert_json_of(name: str, line: bytes) -> None:
    value = json.loads(line)
    assert b"\n" not in line
    assert set(value) == field_names(name)
    assert fastavro.validation.validate(value, load_schema(name), strict=True)


def field_names(schema_name: str) -> set[str]:
    return {field["name"] for field in load_schema(schema_name)["fields"]}


def test_a_failure_hands_back_the_original_bytes_unless_told_not_to() -> None:
    failure = FAILURES["from Pub/Sub"]
    assert json.loads(failure_to_json(failure))["payload_base64"] == "/wA="
    without = json.loads(failure_to_json(failure, with_payload=False))
    assert (without["payload_base64"], without["attributes"]) == (None, {})


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_a_failure_gives_its_message_back_with_what_is_behind_it(failure: Failure) -> None:
    message = message_of_failure(failure_to_json(failure))
    behind = EarlierFailure(
        first_failed_at_us=failure.first_failed_at_us, attempts=failure.attempts
    )
    assert message == msgspec.structs.replace(failure.message, earlier=behind)


def with_member(name: str, value: object) -> bytes:
    """A failure's line, in which one member was changed by somebody."""
    members = json.loads(failure_to_json(FAILURES["from Pub/Sub"]))
    return json.dumps(members | {name: value}).encode()


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b"{}", "no failure"),
        (b"[1]", "no failure"),
        (b"not JSON", "no failure"),
        (b'{"answer": "an archive"}', "no failure"),
        (with_member("payload_base64", "no base64"), "no failure"),
        (with_member("attributes", None), "no failure"),
        (with_member("first_failed_at", "yesterday"), "no failure"),
        (with_member("attempts", "two"), "no failure"),
        (failure_to_json(FAILURES["from Pub/Sub"], with_payload=False), "original bytes"),
    ],
    ids=[
        "empty",
        "a list",
        "no JSON",
        "an answer",
        "no bytes",
        "no attributes",
        "no time",
        "no number",
        "no payload",
    ],
)
def test_what_cannot_be_replayed_says_why(line: bytes, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        message_of_failure(line)
