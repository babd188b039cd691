"""Enriched records as rows of their schema, through a file and back."""

import io
from typing import Any

import fastavro
import fastavro.validation
import pytest

from groundwatch.schemas.avro import load_schema
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from tests.support.avro_rows import enriched_to_avro
from tests.support.whole_records import ENRICHED

SCHEMA = load_schema("enriched_answer")


@pytest.mark.parametrize("codec", ["null", "deflate", "zstandard"])
@pytest.mark.parametrize("enriched", ENRICHED.values(), ids=ENRICHED)
def test_a_row_survives_writing_and_reading_a_file(enriched: EnrichedAnswer, codec: str) -> None:
    row = enriched_to_avro(enriched)
    assert fastavro.validation.validate(row, SCHEMA, strict=True)
    file = io.BytesIO()
    fastavro.writer(file, SCHEMA, [row], codec=codec)
    file.seek(0)
    (read,) = fastavro.reader(file)
    assert micros(read) == plain(row)


def micros(row: dict[str, Any]) -> dict[str, Any]:
    """A row as read, with its times in microseconds."""
    times = {"event_time": row["event_time"]}
    check = row["check"] and row["check"] | {"checked_at": in_micros(row["check"]["checked_at"])}
    return row | {name: in_micros(time) for name, time in times.items()} | {"check": check}


def in_micros(time: Any) -> int | None:
    return None if time is None else round(time.timestamp() * 1_000_000)


def plain(value: Any) -> Any:
    """A row with lists in place of tuples, as Avro returns it."""
    if isinstance(value, dict):
        return {name: plain(field) for name, field in value.items()}
    return [plain(field) for field in value] if isinstance(value, list | tuple) else value
