"""The Avro schemas against the records they describe."""

from collections.abc import Iterator
from typing import Any

import pytest

from groundwatch.schemas import Record
from groundwatch.schemas.alert import (
    Alert,
    CheckerIncident,
    NoDataIncident,
    RateIncident,
    WorstClaim,
)
from groundwatch.schemas.answer import Citation, Fact, GroundingSupport, SafetyRating
from groundwatch.schemas.avro import load_schema
from groundwatch.schemas.checked_answer import (
    Check,
    Claim,
    Contradiction,
    Screen,
    VerdictThresholds,
)
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.failure import Failure
from tests.support.avro_schemas import Schema, kind_of

KINDS = (
    EnrichedAnswer,
    Claim,
    Fact,
    SafetyRating,
    Check,
    VerdictThresholds,
    Screen,
    Contradiction,
    Citation,
    GroundingSupport,
    Alert,
    WorstClaim,
    RateIncident,
    NoDataIncident,
    CheckerIncident,
)
NAMES_IN_AVRO = {
    Contradiction: "Mismatch",
    RateIncident: "RateEpisode",
    NoDataIncident: "NoDataEpisode",
}
"""Records whose name in Avro is that of version 1: old readers match records by name."""

NAMES = ("enriched_answer", "alert", "failure")
SCHEMAS = {name: load_schema(name) for name in NAMES}


def records_in(schema: Schema) -> Iterator[dict[str, Any]]:
    """Yield every record of a schema, the outermost first."""
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
FIELDS = {
    f"{record['name']}.{field['name']}": field
    for record in RECORDS.values()
    for field in record["fields"]
}


def field_names(name: str) -> set[str]:
    return {field["name"] for field in RECORDS[name]["fields"]}


def name_in_avro(kind: type[Record]) -> str:
    return NAMES_IN_AVRO.get(kind, kind.__name__)


def without_units(kind: type[Record]) -> set[str]:
    """The record's fields; the Avro type of a time gives its unit, not its name."""
    return {field.removesuffix("_us") for field in kind.__struct_fields__}


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_and_its_schema_have_the_same_fields(kind: type[Record]) -> None:
    assert field_names(name_in_avro(kind)) == without_units(kind)


def test_the_failure_schema_has_the_fields_of_a_failure_and_its_message() -> None:
    of_message = {"source", "publish_time", "payload_base64", "attributes"}
    assert field_names("Failure") == without_units(Failure) - {"message"} | of_message


def test_no_other_record_is_in_the_schemas() -> None:
    assert set(RECORDS) == {name_in_avro(kind) for kind in (*KINDS, Failure)}


def test_a_field_has_a_description_and_a_repeated_one_is_empty_by_default() -> None:
    for name, field in FIELDS.items():
        empty = {"array": [], "map": {}}.get(kind_of(field["type"]))
        assert empty is None or field["default"] == empty, name
        assert field["doc"].endswith("."), name


def test_times_in_avro_are_timestamps_and_times_in_json_are_text() -> None:
    timestamp = {"type": "long", "logicalType": "timestamp-micros"}
    times = {
        name: field["type"] for name, field in FIELDS.items() if name.endswith(("_at", "_time"))
    }
    assert times == {
        "EnrichedAnswer.event_time": ["null", timestamp],
        "Check.checked_at": timestamp,
        "Alert.event_time": ["null", "string"],
        "RateEpisode.opened_at": "string",
        "NoDataEpisode.last_answer_at": "string",
        "NoDataEpisode.opened_at": "string",
        "CheckerIncident.first_failed_at": "string",
        "CheckerIncident.opened_at": "string",
        "Failure.first_failed_at": "string",
        "Failure.last_failed_at": "string",
        "Failure.publish_time": ["null", "string"],
    }
