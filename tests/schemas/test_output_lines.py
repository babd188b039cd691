"""Lines of JSON in the output: alerts, failures and entries of the manifest."""

import json

import fastavro.validation
import msgspec
import pytest
from msgspec.structs import replace

from groundwatch.pipeline.sinks.topic_messages import encode_failure
from groundwatch.schemas.alert import Alert, alert_to_json
from groundwatch.schemas.avro import load_schema
from groundwatch.schemas.failure import Failure, failure_to_json, message_of_failure
from groundwatch.schemas.file_entry import FileEntry, file_entry_from_json, file_entry_to_json
from groundwatch.schemas.message import EarlierFailure
from tests.support.builders import NOON_US
from tests.support.whole_records import ALERTS, FAILURES


@pytest.mark.parametrize("alert", ALERTS.values(), ids=ALERTS)
def test_the_json_of_an_alert_fits_its_schema(alert: Alert) -> None:
    assert_json_of("alert", alert_to_json(alert))


def test_the_times_of_an_alert_are_rfc_3339() -> None:
    assert json.loads(alert_to_json(ALERTS["a rate"])) == {
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
            "audited": 6,
            "revisions": ["local words-1", "local words-2"],
        },
    }
    assert json.loads(alert_to_json(ALERTS["an engine without data"]))["no_data"] == {
        "state": "open",
        "answers_before": 30,
        "last_answer_at": "2026-03-03T11:30:00.000000Z",
        "opened_at": "2026-03-03T12:00:00.000000Z",
    }


@pytest.mark.parametrize("with_payload", [True, False])
@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_the_json_of_a_failure_fits_its_schema(failure: Failure, with_payload: bool) -> None:
    assert_json_of("failure", failure_to_json(failure, with_payload=with_payload))


def assert_json_of(name: str, line: bytes) -> None:
    value = json.loads(line)
    assert b"\n" not in line
    assert set(value) == field_names(name)
    assert fastavro.validation.validate(value, load_schema(name), strict=True)


def field_names(schema_name: str) -> set[str]:
    return {field["name"] for field in load_schema(schema_name)["fields"]}


def test_a_failure_contains_the_original_bytes_unless_disabled() -> None:
    failure = FAILURES["from Pub/Sub"]
    assert json.loads(failure_to_json(failure))["payload_base64"] == "/wA="
    without = json.loads(failure_to_json(failure, with_payload=False))
    assert (without["payload_base64"], without["attributes"]) == (None, {})


@pytest.mark.parametrize(
    ("error", "kept"),
    [
        ("No facts found. These fields are not read: salary.", "No facts found."),
        ("its codec is unknown. It is 'Zanzibar', not null", "its codec is unknown."),
        ("The message is not JSON: Extra data at character 5.", None),
        ("its sync marker is wrong", None),
    ],
)
def test_without_its_bytes_a_failure_keeps_what_quotes_nothing(
    error: str, kept: str | None
) -> None:
    failure = replace(FAILURES["from Pub/Sub"], error=error)
    assert json.loads(failure_to_json(failure))["error"] == error
    assert json.loads(failure_to_json(failure, with_payload=False))["error"] == (kept or error)
    published = encode_failure(failure, with_payload=False)
    assert (published.data, published.attributes["failure_error"]) == (b"", kept or error)
    assert encode_failure(failure).attributes["failure_error"] == error


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_a_failure_restores_its_message_and_its_history(failure: Failure) -> None:
    message = message_of_failure(failure_to_json(failure))
    behind = EarlierFailure(
        first_failed_at_us=failure.first_failed_at_us, attempts=failure.attempts
    )
    assert message == msgspec.structs.replace(failure.message, earlier=behind)


def with_field(name: str, value: object) -> bytes:
    """A failure's line with one field changed."""
    fields = json.loads(failure_to_json(FAILURES["from Pub/Sub"]))
    return json.dumps(fields | {name: value}).encode()


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b"{}", "not a failure"),
        (b"[1]", "not a failure"),
        (b"not JSON", "not a failure"),
        (b'{"answer": "an archive"}', "not a failure"),
        (with_field("payload_base64", "no base64"), "not a failure"),
        (with_field("attributes", None), "not a failure"),
        (with_field("first_failed_at", "yesterday"), "not a failure"),
        (with_field("attempts", "two"), "not a failure"),
        (failure_to_json(FAILURES["from Pub/Sub"], with_payload=False), "original bytes"),
    ],
)
def test_a_line_that_cannot_be_replayed_raises_with_the_reason(line: bytes, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        message_of_failure(line)


def test_an_entry_describes_its_file() -> None:
    entry = FileEntry(
        path="enriched/é.avro", rows=3, bytes=512, first_event_us=0, checksum="AAAAAA=="
    )
    assert json.loads(file_entry_to_json(entry)) == {
        "path": "enriched/é.avro",
        "rows": 3,
        "bytes": 512,
        "checksum": "AAAAAA==",
        "first_event_time": "1970-01-01T00:00:00.000000Z",
        "last_event_time": None,
    }


def test_an_entry_is_read_without_its_times() -> None:
    read = {"path": "a", "rows": 3, "bytes": 512, "checksum": "AAAAAA=="}
    entry = FileEntry(**read, first_event_us=0, last_event_us=NOON_US)
    assert file_entry_from_json(file_entry_to_json(entry)) == FileEntry(**read)


def test_an_entry_of_version_1_has_no_checksum() -> None:
    line = b'{"path": "a", "rows": 3, "bytes": 512, "first_event_time": null}'
    assert file_entry_from_json(line) == FileEntry(path="a", rows=3, bytes=512)
