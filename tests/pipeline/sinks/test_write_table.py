"""Rows of BigQuery, and the request for Beam's sink, as an expansion service gets it."""

import logging
from collections.abc import Iterator
from datetime import datetime
from io import BytesIO
from typing import Any

import apache_beam as beam
import fastavro
import pytest
from apache_beam.io.gcp.bigquery_tools import beam_row_from_dict
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.utils.timestamp import Timestamp

from pipeline.sinks import write_table
from pipeline.sinks.row_formats import encode_enriched
from pipeline.sinks.table_rows import table_columns, table_row
from pipeline.sinks.write_table import WriteTable
from schemas.avro import load_schema
from tests.support.builders import a_fact, an_enriched
from tests.support.dataflow import FLAGS
from tests.support.expansion_service import ExpansionService, expansion_service
from tests.support.whole_records import ENRICHED
from transforms.rules.redaction import TextMode

TABLE = "example-project:answers.records"


@pytest.fixture(scope="module")
def service() -> Iterator[ExpansionService]:
    with expansion_service() as service:
        root = beam.Pipeline(options=PipelineOptions([*FLAGS, "--streaming"]))
        records = root | beam.Create([an_enriched()])
        _ = (records,) | WriteTable(TABLE, TextMode.FULL, service.address)
        root.run()
        yield service


def as_avro(value: Any) -> Any:
    """A cell as fastavro would read it."""
    if isinstance(value, Timestamp):
        return value.to_utc_datetime(has_tz=True)
    if isinstance(value, list) and value and isinstance(value[0], dict) and "key" in value[0]:
        return {each["key"]: each["value"] for each in value}
    if isinstance(value, list):
        return list(map(as_avro, value))
    if isinstance(value, dict):
        return {name: as_avro(each) for name, each in value.items()}
    return value


def without_empty(value: Any) -> Any:
    """A row without empty lists and maps, which are the same in BigQuery."""
    if isinstance(value, dict):
        return {k: without_empty(v) for k, v in value.items() if v not in ([], {})}
    return list(map(without_empty, value)) if isinstance(value, list) else value


@pytest.mark.parametrize("name", ENRICHED)
def test_a_row_has_what_the_avro_record_has(name: str) -> None:
    row = as_avro(table_row(ENRICHED[name], TextMode.FULL))
    assert isinstance(row.pop("publish_time"), datetime)
    metadata = [row.pop(each) for each in ("subscription_name", "message_id", "attributes")]
    assert metadata == [None] * 3
    data = encode_enriched(ENRICHED[name], TextMode.FULL).data
    record = fastavro.schemaless_reader(BytesIO(data), load_schema("enriched_answer"))
    assert without_empty(row) == without_empty(record)


def test_rows_are_appended_at_least_once_to_a_table_that_exists(service: ExpansionService) -> None:
    [found] = service.configurations
    assert found.table == TABLE
    assert (found.create_disposition, found.write_disposition) == ("CREATE_NEVER", "WRITE_APPEND")
    assert found.use_at_least_once_semantics


@pytest.mark.parametrize("name", ENRICHED)
def test_the_sink_gets_each_row_in_the_schema_that_it_was_told(
    name: str, service: ExpansionService
) -> None:
    row = table_row(ENRICHED[name], TextMode.FULL)
    [coder] = service.row_coders
    sent = coder.decode(coder.encode(beam_row_from_dict(row, {"fields": table_columns()})))
    assert sent._fields == tuple(column["name"] for column in table_columns())
    assert sent.record_id == ENRICHED[name].record_id
    assert [fact.text for fact in sent.facts] == [fact.text for fact in ENRICHED[name].facts]
    assert [claim.start for claim in sent.claims] == [c.start for c in ENRICHED[name].claims]


def test_a_row_has_as_much_text_as_is_kept_and_fits_the_limit() -> None:
    assert table_row(an_enriched(), TextMode.NONE)["answer_text"] == ""
    large = table_row(an_enriched(tags=(), facts=(a_fact("ä" * 6_000_000),)), TextMode.FULL)
    assert ([fact["text"] for fact in large["facts"]], large["tags"]) == ([""], ["FACTS_DROPPED"])


def test_a_refused_row_is_logged_by_its_id_alone(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        write_table._log_refused({"record_id": "r1", "answer_text": "Lamps glow."})
    assert caplog.messages == ["BigQuery refuses the row of record r1"]
