"""Rows that wait in a database: encoded by folder, and restricted when they leave."""

import io
import json
from typing import Any

import fastavro
import pytest

from groundwatch.pipeline.sinks import folder_writer
from groundwatch.pipeline.sinks.folder_writer import Chunk, encode_chunks
from groundwatch.pipeline.sinks.row_formats import (
    AlertFiles,
    EnrichedFiles,
    FailureFiles,
    RowFormat,
)
from groundwatch.transforms.rules.redaction import TextMode
from tests.support.builders import NOON_US
from tests.support.whole_records import ALERTS, ENRICHED, FAILURES
from tests.support.written_rows import AVRO, LINES, a_record, numbered_failure


def rows_of(row_format: RowFormat, *contents: bytes) -> list[dict[str, Any]]:
    """The rows of a file of these chunks."""
    content = row_format.header + b"".join(contents)
    if row_format.extension == "avro":
        return [dict(row) for row in fastavro.reader(io.BytesIO(content))]
    return [json.loads(line) for line in content.splitlines()]


def chunk_of(row_format: RowFormat, rows: Any) -> list[Chunk]:
    return list(encode_chunks(row_format, rows))


def test_each_folder_has_a_chunk_with_its_rows_and_times() -> None:
    rows = [a_record(1), a_record(2, day=1), a_record(3)]
    first, second = sorted(chunk_of(AVRO, rows), key=lambda chunk: chunk.folder)
    assert (first.folder, first.rows) == ("enriched/event_date=2026-03-03", 2)
    assert (second.folder, second.rows) == ("enriched/event_date=2026-03-04", 1)
    assert (first.first_event_us, first.last_event_us) == (NOON_US, NOON_US)
    read = [row["record_id"] for row in rows_of(AVRO, first.content)]
    assert read == [rows[0].record_id, rows[2].record_id]


def test_chunks_of_several_batches_make_one_file() -> None:
    contents = [
        chunk.content for number in range(3) for chunk in chunk_of(AVRO, [a_record(number)])
    ]
    assert len(rows_of(AVRO, *contents)) == 3


def test_many_rows_make_several_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_writer, "_CHUNK_BYTES", 1_000)
    made = chunk_of(LINES, map(numbered_failure, range(200)))
    assert len(made) > 1
    assert [row["source"] for chunk in made for row in rows_of(LINES, chunk.content)] == [
        f"a.jsonl#{number}" for number in range(200)
    ]


def test_no_rows_make_no_chunk() -> None:
    assert chunk_of(AVRO, []) == []


ENRICHED_MODES = [(made, left) for made in TextMode for left in TextMode]


@pytest.mark.parametrize(("made", "left"), ENRICHED_MODES)
def test_records_leave_with_no_more_text_than_is_allowed_then(
    made: TextMode, left: TextMode
) -> None:
    records = list(ENRICHED.values())
    order = [TextMode.FULL, TextMode.HASH, TextMode.NONE]
    least = max(made, left, key=order.index)
    leaving = EnrichedFiles(left)
    for chunk in chunk_of(EnrichedFiles(made), records):
        of_chunk = [row for row in records if leaving.folder(row) == chunk.folder]
        [expected] = chunk_of(EnrichedFiles(least), of_chunk)
        content = leaving.restrict(chunk.content, chunk.policy)
        assert rows_of(leaving, content) == rows_of(leaving, expected.content)


def test_rows_that_may_leave_as_they_are_are_not_touched() -> None:
    [chunk] = chunk_of(AVRO, [a_record(1)])
    assert AVRO.restrict(chunk.content, chunk.policy) is chunk.content


def test_alerts_leave_without_text_where_none_is_allowed_then() -> None:
    [chunk] = chunk_of(AlertFiles(with_text=True), ALERTS.values())
    assert any(row["answer_text"] for row in rows_of(AlertFiles(with_text=True), chunk.content))
    leaving = AlertFiles(with_text=False)
    for row in rows_of(leaving, leaving.restrict(chunk.content, chunk.policy)):
        assert row["answer_text"] is None
        assert not (row["worst_claim"] or {}).get("text")


def test_failures_leave_without_their_messages_where_none_is_allowed_then() -> None:
    [chunk] = chunk_of(LINES, FAILURES.values())
    leaving = FailureFiles(with_payload=False)
    [expected] = chunk_of(leaving, FAILURES.values())
    content = leaving.restrict(chunk.content, chunk.policy)
    assert rows_of(leaving, content) == rows_of(leaving, expected.content)
