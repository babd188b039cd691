"""The Avro schemas against the records they describe, and against BigQuery's rules."""

import io
import json
import re
from collections.abc import Iterator
from typing import Any

import fastavro
import fastavro.validation
import pytest

from schemas.alert import Alert, AlertKind, RateEpisode, Severity, WorstClaim
from schemas.answer import Fact, SafetyRating
from schemas.avro import load_schema
from schemas.checked import Check, Claim
from schemas.enriched import EnrichedAnswer
from schemas.enriched_avro import enriched_to_avro
from schemas.failure import Failure
from schemas.json_lines import alert_to_json, failure_to_json
from schemas.record import Record
from schemas.verdict import Verdict
from tests.support.builders import NOON_US, RECORD_ID, a_check, a_claim, a_message, an_enriched

NAMES = ("enriched_answer", "alert", "failure")
SCHEMAS = {name: load_schema(name) for name in NAMES}

Schema = Any
"""A schema as parsed JSON: a name, a list for a union, or an object."""


def records_in(schema: Schema) -> Iterator[dict[str, Any]]:
    """Every record of a schema, the outermost first."""
    if isinstance(schema, list):
        for branch in schema:
            yield from records_in(branch)
    elif isinstance(schema, dict):
        if schema["type"] == "record":
            yield schema
            for field in schema["fields"]:
                yield from records_in(field["type"])
        for part in ("items", "values"):
            yield from records_in(schema.get(part))


RECORDS = {record["name"]: record for schema in SCHEMAS.values() for record in records_in(schema)}
FIELDS = [
    pytest.param(field, id=f"{record['name']}.{field['name']}")
    for record in RECORDS.values()
    for field in record["fields"]
]


def field_names(name: str) -> set[str]:
    return {field["name"] for field in RECORDS[name]["fields"]}


def without_units(kind: type[Record]) -> set[str]:
    """The record's fields; a time's unit is said by its Avro type, not by its name."""
    return {field.removesuffix("_us") for field in kind.__struct_fields__}


@pytest.mark.parametrize(
    "kind", [EnrichedAnswer, Claim, Fact, SafetyRating, Check, Alert, WorstClaim, RateEpisode]
)
def test_a_record_and_its_schema_have_the_same_fields(kind: type[Record]) -> None:
    assert field_names(kind.__name__) == without_units(kind)


def test_a_failures_schema_has_its_fields_and_those_of_its_message() -> None:
    of_message = {"source", "publish_time", "payload_base64", "attributes"}
    assert field_names("Failure") == without_units(Failure) - {"message"} | of_message


def test_no_other_record_is_in_the_schemas() -> None:
    kinds = (EnrichedAnswer, Claim, Fact, SafetyRating, Check, Alert, WorstClaim, RateEpisode)
    assert set(RECORDS) == {kind.__name__ for kind in (*kinds, Failure)}


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_is_loadable_by_bigquery(field: dict[str, Any]) -> None:
    assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", field["name"])
    kind = field["type"]
    if isinstance(kind, list):
        assert len(kind) == 2
        assert kind[0] == "null"
        assert field["default"] is None
        kind = kind[1]
    assert kind_of(kind) not in {"null", "union", "fixed", "bytes"}
    if kind_of(kind) == "array":
        assert kind_of(kind["items"]) not in {"array", "map", "union"}
        assert field["default"] == []


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_says_what_it_means(field: dict[str, Any]) -> None:
    assert field["doc"].endswith(".")


def kind_of(schema: Schema) -> str:
    if isinstance(schema, list):
        return "union"
    return str(schema["type"] if isinstance(schema, dict) else schema)


def test_times_in_avro_are_timestamps_and_times_in_json_are_text() -> None:
    timestamp = {"type": "long", "logicalType": "timestamp-micros"}
    times = {
        f"{record['name']}.{field['name']}": field["type"]
        for record in RECORDS.values()
        for field in record["fields"]
        if field["name"].endswith(("_at", "_time"))
    }
    assert times == {
        "EnrichedAnswer.event_time": ["null", timestamp],
        "Check.checked_at": timestamp,
        "Alert.event_time": ["null", "string"],
        "RateEpisode.opened_at": "string",
        "Failure.first_failed_at": "string",
        "Failure.last_failed_at": "string",
        "Failure.publish_time": ["null", "string"],
    }


FULL = an_enriched(
    event_time_us=NOON_US + 1,
    answer_text="Olé! 日本 🙂",
    skip_reasons=("NO_RELEVANT_CONTENT", "47"),
    safety_ratings=(
        SafetyRating(),
        SafetyRating(
            category="HARASSMENT",
            probability="HIGH",
            severity="LOW",
            blocked=True,
            probability_score=0.9,
            severity_score=0.0,
        ),
    ),
    claims=(
        a_claim(score=0.0, citations=(0, 1), citation_starts=(0, 10_000)),
        a_claim(grounding_check_required=None),
    ),
    facts=(
        Fact(text="a"),
        Fact(text="b", uri="u", title="t", document="d", attributes={"page": "7"}),
    ),
    check=a_check(cached=True),
)
BARE = an_enriched(
    answer_name=None,
    engine=None,
    session=None,
    event_time_us=None,
    query=None,
    answer_text="",
    verdict=Verdict.UNSCORABLE,
    tags=(),
    support_score=None,
    min_claim_score=None,
    generator_grounding_score=None,
    score_drift=None,
    answerable_probability=None,
    claims=(),
    facts=(),
    check=None,
)
ENRICHED = {
    "full": FULL,
    "bare": BARE,
    "before 1970": an_enriched(event_time_us=-1),
    "without a threshold": an_enriched(check=a_check(citation_threshold=None)),
}


@pytest.mark.parametrize("codec", ["null", "deflate", "zstandard"])
@pytest.mark.parametrize("enriched", ENRICHED.values(), ids=ENRICHED)
def test_a_row_is_read_back_from_a_file_as_it_was_written(
    enriched: EnrichedAnswer, codec: str
) -> None:
    row = enriched_to_avro(enriched)
    schema = SCHEMAS["enriched_answer"]
    assert fastavro.validation.validate(row, schema, strict=True)
    file = io.BytesIO()
    fastavro.writer(file, schema, [row], codec=codec)
    file.seek(0)
    (read,) = fastavro.reader(file)
    assert micros(read) == plain(row)


def micros(row: dict[str, Any]) -> dict[str, Any]:
    """A row as read, its times as microseconds again."""
    times = {"event_time": row["event_time"]}
    check = row["check"] and row["check"] | {"checked_at": in_micros(row["check"]["checked_at"])}
    return row | {name: in_micros(time) for name, time in times.items()} | {"check": check}


def in_micros(time: Any) -> int | None:
    return None if time is None else round(time.timestamp() * 1_000_000)


def plain(value: Any) -> Any:
    """A row with lists for tuples, as Avro gives them back."""
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    return [plain(member) for member in value] if isinstance(value, list | tuple) else value


ALERTS = {
    "an answer's": Alert(
        kind=AlertKind.ANSWER,
        record_id=RECORD_ID,
        verdict=Verdict.LOW_GROUNDED,
        tags=("SCORE_DRIFT",),
        support_score=0.0,
        worst_claim=WorstClaim(start=0, end=1, score=0.1, text="é"),
        event_time_us=NOON_US,
        severity=Severity.CRITICAL,
        answer_text="é",
    ),
    "a rate's": Alert(
        kind=AlertKind.RATE,
        engine="shop",
        event_time_us=NOON_US,
        severity=Severity.INFO,
        rate=RateEpisode(
            signal="failed",
            state="open",
            share=0.5,
            burn_rate=5.0,
            answers=10,
            opened_at_us=NOON_US,
        ),
    ),
    "the least": Alert(kind=AlertKind.NO_DATA, severity=Severity.WARNING),
}


@pytest.mark.parametrize("alert", ALERTS.values(), ids=ALERTS)
def test_an_alerts_json_is_a_value_of_its_schema(alert: Alert) -> None:
    assert_json_of("alert", alert_to_json(alert))


def test_an_alert_says_its_times_as_people_write_them() -> None:
    assert json.loads(alert_to_json(ALERTS["a rate's"])) == {
        **dict.fromkeys(field_names("Alert")),
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


def a_failure(**members: Any) -> Failure:
    given = {
        "step": "ParseAnswers",
        "error_class": "UnreadableAnswer",
        "error": "the message is not JSON",
        "retryable": False,
        "first_failed_at_us": NOON_US,
        "last_failed_at_us": NOON_US + 1,
        "message": a_message(),
    }
    return Failure(**given | members)


FAILURES = {
    "not understood": a_failure(),
    "checked in vain": a_failure(record_id=RECORD_ID, retryable=True, attempts=9),
    "from Pub/Sub": a_failure(
        message=a_message(
            payload=b"\xff\x00", attributes={"id": "é"}, place="17", publish_time_us=NOON_US
        )
    ),
}


@pytest.mark.parametrize("with_payload", [True, False])
@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_a_failures_json_is_a_value_of_its_schema(failure: Failure, with_payload: bool) -> None:
    assert_json_of("failure", failure_to_json(failure, with_payload=with_payload))


def assert_json_of(name: str, line: bytes) -> None:
    value = json.loads(line)
    assert b"\n" not in line
    assert set(value) == {field["name"] for field in SCHEMAS[name]["fields"]}
    assert fastavro.validation.validate(value, SCHEMAS[name], strict=True)


def test_a_failure_hands_back_the_original_bytes_unless_told_not_to() -> None:
    failure = FAILURES["from Pub/Sub"]
    assert json.loads(failure_to_json(failure))["payload_base64"] == "/wA="
    assert json.loads(failure_to_json(failure, with_payload=False))["payload_base64"] is None
