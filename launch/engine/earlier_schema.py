"""Read the records that a database keeps, also those of an earlier release, and convert them."""

from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import blake2b

import msgspec
from fastavro import parse_schema
from fastavro.schema import to_parsing_canonical_form
from msgspec.structs import replace

from groundwatch.pipeline.sinks.avro_rows import Schema, rewrite_blocks, rewrite_row, rows_of_blocks
from groundwatch.pipeline.sinks.row_formats import EnrichedFiles
from groundwatch.pipeline.sinks.topic_messages import TopicMessage
from groundwatch.schemas.avro import load_released, load_schema
from groundwatch.schemas.enriched_answer import AnswerRow
from groundwatch.transforms.persistence.database import Database
from . import statements

_NAME = "enriched_answer"
_RELEASED = ("1.2.0",)
"""The versions of the schema that a release with this format of the database has written."""

_HASHES_OF_2_0_0 = {"b2b79aa4a79ec45e": "1.2.0"}
"""2.0.0 kept a hash of the schema with its documentation."""

_TOPIC = "enriched_topic"  # the kind of the messages that hold a record


@cache
def schema_hash(version: str | None = None) -> str:
    """Hash what decides the bytes of a record: the schema, this release's, without descriptions."""
    schema = load_released(_NAME, version) if version else load_schema(_NAME)
    return blake2b(to_parsing_canonical_form(schema).encode(), digest_size=8).hexdigest()


def _earlier_versions() -> Mapping[str, str]:
    """Return the versions of the schema that can be converted, by their hashes."""
    return {schema_hash(version): version for version in _RELEASED} | _HASHES_OF_2_0_0


def can_convert(schema: str) -> bool:
    """Return whether records of a schema, given by its hash, are this one's or can be converted."""
    return schema == schema_hash() or schema in _earlier_versions()


def read_records(content: bytes, schema: str) -> Iterator[AnswerRow]:
    """Read the records of a chunk, as this release has them; `schema` is the hash of theirs."""
    for row in rows_of_blocks(content, *_schemas(_earlier_versions().get(schema))):
        yield msgspec.convert(row, AnswerRow)


def _schemas(version: str | None) -> tuple[Schema, Schema]:
    """Return an earlier schema, by default this release's, and this release's."""
    current = parse_schema(load_schema(_NAME))
    return parse_schema(load_released(_NAME, version)) if version else current, current


def convert_rows(database: Database, schema: str) -> None:
    """Encode the records that wait for a file or for a topic again; for use in a transaction.

    `schema` is the hash of theirs; of one that is not known nothing is changed.
    """
    version = _earlier_versions().get(schema)
    if version is None:
        return
    earlier, current = _schemas(version)
    for (number,) in list(database.read(statements.LIST_CHUNKS_OF_KIND, EnrichedFiles.kind)):
        [(content, *_)] = database.read(statements.READ_CHUNK, number)
        converted = rewrite_blocks(content, earlier, current)
        database.write(statements.REPLACE_CHUNK, converted, len(converted), number)
    for number, _ in list(database.read(statements.LIST_ROW_SIZES, _TOPIC)):
        [(content,)] = database.read(statements.READ_ROW, number)
        message = msgspec.json.decode(content, type=TopicMessage)
        converted = rewrite_row(message.data, earlier, current)
        written = msgspec.json.encode(replace(message, data=converted))
        database.write(statements.REPLACE_ROW, written, number)
