"""Convert the records that an earlier release left in a database to the schema of this one."""

from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from io import BytesIO
from typing import Any, TypeAlias

import fastavro
import msgspec
from fastavro import parse_schema
from fastavro.schema import to_parsing_canonical_form
from fastavro.write import Writer
from msgspec.structs import replace

from groundwatch.pipeline.sinks.row_formats import EnrichedFiles
from groundwatch.pipeline.sinks.topic_messages import TopicMessage
from groundwatch.schemas.avro import load_released, load_schema
from groundwatch.transforms.persistence.database import Database

_Schema: TypeAlias = Any  # as fastavro parses it

_NAME = "enriched_answer"
_MARKER_BYTES = 16
_RELEASED = ("1.2.0",)
"""The versions of the schema that a release with this format of the database has written."""

_HASHES_OF_2_0_0 = {"b2b79aa4a79ec45e": "1.2.0"}
"""2.0.0 kept a hash of the schema with its documentation."""

_CHUNKS = "SELECT id FROM chunks WHERE kind = ? ORDER BY id"
_REPLACE_CHUNK = "UPDATE chunks SET content = ?, bytes = ? WHERE id = ?"
_MESSAGES = "SELECT id FROM outbox WHERE kind = 'enriched_topic' ORDER BY id"


def schema_hash(schema: Mapping[str, Any] | None = None) -> str:
    """Hash what decides the bytes of a record: its schema, this release's, without descriptions."""
    content = to_parsing_canonical_form(schema or load_schema(_NAME))
    return blake2b(content.encode(), digest_size=8).hexdigest()


@cache
def _released() -> Mapping[str, str]:
    """Return the released versions of the schema by their hashes."""
    return {
        **{schema_hash(load_released(_NAME, version)): version for version in _RELEASED},
        **_HASHES_OF_2_0_0,
    }


def can_convert(schema: str) -> bool:
    """Return whether records of a schema, given by its hash, are this one's or can be converted."""
    return schema == schema_hash() or schema in _released()


def convert_rows(database: Database, schema: str) -> None:
    """Encode the records that wait for a file or for a topic anew; for use in a transaction.

    `schema` is the hash of theirs; of one that is not known nothing is changed.
    """
    version = _released().get(schema)
    if version is None or schema == schema_hash():
        return
    earlier = parse_schema(load_released(_NAME, version))
    current = parse_schema(load_schema(_NAME))
    for (number,) in list(database.read(_CHUNKS, EnrichedFiles.kind)):
        [(content,)] = database.read("SELECT content FROM chunks WHERE id = ?", number)
        converted = _convert_blocks(content, earlier, current)
        database.write(_REPLACE_CHUNK, converted, len(converted), number)
    for (number,) in list(database.read(_MESSAGES)):
        [(content,)] = database.read("SELECT content FROM outbox WHERE id = ?", number)
        message = msgspec.json.decode(content, type=TopicMessage)
        converted = _convert_record(message.data, earlier, current)
        written = msgspec.json.encode(replace(message, data=converted))
        database.write("UPDATE outbox SET content = ? WHERE id = ?", written, number)


def _convert_blocks(content: bytes, earlier: _Schema, current: _Schema) -> bytes:
    """Convert blocks of an Avro file without its header; each ends with the file's sync marker."""
    marker = content[-_MARKER_BYTES:]
    file, converted = BytesIO(), BytesIO()
    _start(file, earlier, marker)
    file.write(content)
    file.seek(0)
    writer = _start(converted, current, marker)
    header_bytes = converted.tell()
    for row in fastavro.reader(file, current):
        writer.write(row)
    writer.flush()
    return converted.getvalue()[header_bytes:]


def _start(stream: BytesIO, schema: _Schema, marker: bytes) -> Writer:
    """Write the header of a file with a sync marker."""
    writer = Writer(stream, schema, codec="deflate", sync_marker=marker)
    writer.flush()
    return writer


def _convert_record(data: bytes, earlier: _Schema, current: _Schema) -> bytes:
    row = fastavro.schemaless_reader(BytesIO(data), earlier, current)
    stream = BytesIO()
    fastavro.schemaless_writer(stream, current, row)
    return stream.getvalue()
