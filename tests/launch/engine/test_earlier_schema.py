"""Records that an earlier release left in a database, in the schema of this one."""

import io
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import fastavro
import msgspec
import pytest
from fastavro.write import Writer

from groundwatch.launch.engine import earlier_schema
from groundwatch.launch.engine.earlier_schema import schema_hash
from groundwatch.launch.engine.engine_database import SCHEMA, EngineDatabase
from groundwatch.pipeline.sinks.folder_writer import Chunk
from groundwatch.pipeline.sinks.row_formats import EnrichedFiles
from groundwatch.pipeline.sinks.topic_messages import TopicMessage
from groundwatch.schemas.avro import load_released, load_schema
from groundwatch.transforms.rules.redaction import TextMode
from tests.support.journals import commit_batch, open_journal
from tests.support.released_schemas import written

Row = dict[str, Any]

EARLIER = fastavro.parse_schema(load_released("enriched_answer", "1.2.0"))
ROWS = written("enriched_answer", "1.2.0")
FORMAT = EnrichedFiles(TextMode.FULL, "r1")
HASHES = ["b2b79aa4a79ec45e", schema_hash("1.2.0")]
"""That which 2.0.0 kept, and that of the schema without its documentation."""


def blocks(rows: Sequence[Row], rows_per_block: int) -> bytes:
    """Rows in blocks of the earlier schema, without the header of a file."""
    stream = io.BytesIO()
    writer = Writer(stream, EARLIER, codec="deflate", sync_marker=FORMAT._mark)
    writer.flush()
    header_bytes = stream.tell()
    for number, row in enumerate(rows, start=1):
        writer.write(row)
        if number % rows_per_block == 0:
            writer.flush()
    writer.flush()
    return stream.getvalue()[header_bytes:]


def message(row: Row) -> TopicMessage:
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, EARLIER, row)
    return TopicMessage(data=stream.getvalue(), attributes={"record_id": row["record_id"]})


def leave(folder: Path, schema: str) -> None:
    """Leave what a worker of an earlier release had not published: a chunk and two messages."""
    content = blocks(ROWS, 3)
    chunk = Chunk(
        folder="enriched/event_date=2026-03-02",
        kind="enriched",
        policy="full",
        rows=len(ROWS),
        content=content,
        first_event_us=None,
        last_event_us=None,
    )
    with closing(open_journal(folder)) as journal:
        journal.outbox.add_destination("enriched_topic", TopicMessage)
        commit_batch(journal, chunks=(chunk,))
        with journal.database.transaction():
            journal.outbox.add(map(message, ROWS[:2]))
        journal.database.keep_note(SCHEMA, schema)


def content_of(database: EngineDatabase) -> tuple[list[Row], list[Row], int]:
    """Return the rows of the chunk and of the messages as this release writes them."""
    [(content, size_bytes)] = database.read("SELECT content, bytes FROM chunks")
    rows = list(fastavro.reader(io.BytesIO(FORMAT.header + content)))
    current = fastavro.parse_schema(load_schema("enriched_answer"))
    stored = database.read("SELECT content FROM outbox ORDER BY id")
    messages = [msgspec.json.decode(each, type=TopicMessage) for (each,) in stored]
    of_messages: Any = [
        fastavro.schemaless_reader(io.BytesIO(each.data), current, None) for each in messages
    ]
    return rows, of_messages, size_bytes - len(content)


def now(row: Row) -> Row:
    """Return an earlier row with the fields that it lacks."""
    check = row["check"] and row["check"] | {"revision": None, "thresholds": None}
    return row | {"screen": None, "check": check}


@pytest.mark.parametrize("schema", HASHES)
def test_what_waits_is_encoded_anew(tmp_path: Path, schema: str) -> None:
    leave(tmp_path, schema)
    with closing(EngineDatabase.owned(str(tmp_path))) as database:
        expected = [now(row) for row in ROWS]
        assert content_of(database) == (expected, expected[:2], 0)
        assert database.note(SCHEMA, str) == schema_hash()
    # A second start finds nothing to convert.
    with closing(EngineDatabase.owned(str(tmp_path))) as database:
        assert content_of(database) == (expected, expected[:2], 0)


def test_an_interrupted_conversion_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave(tmp_path, HASHES[0])
    with monkeypatch.context() as patched:
        patched.setattr(earlier_schema, "rewrite_row", interrupt)
        with pytest.raises(KeyboardInterrupt):
            EngineDatabase.owned(str(tmp_path))
    with closing(EngineDatabase.owned(str(tmp_path))) as database:
        assert content_of(database)[0] == [now(row) for row in ROWS]


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt
