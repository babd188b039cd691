"""The generated encoder writes what fastavro reads."""

from io import BytesIO
from typing import Any

import fastavro
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.pipeline.sinks.avro_encoder import AvroBlocks, compile_encoder
from groundwatch.schemas import Record
from groundwatch.schemas.avro import load_schema
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from tests.support.avro_rows import enriched_to_avro
from tests.support.whole_records import ENRICHED

_SCHEMA = load_schema("enriched_answer")
_PARSED = fastavro.parse_schema(_SCHEMA)
_ENCODE = compile_encoder(_SCHEMA)
_LONGS = st.integers(-(2**63), 2**63 - 1)


class Sample(Record, frozen=True):
    """A record with a field of each type."""

    count: int
    share: float | None
    names: tuple[str, ...]
    places: dict[str, int]
    seen_us: int | None
    is_open: bool | None


SAMPLE_SCHEMA: dict[str, Any] = {
    "type": "record",
    "name": "Sample",
    "fields": [
        {"name": "count", "type": "long"},
        {"name": "share", "type": ["null", "double"]},
        {"name": "names", "type": {"type": "array", "items": "string"}},
        {"name": "places", "type": {"type": "map", "values": "int"}},
        {"name": "seen", "type": ["null", {"type": "long", "logicalType": "timestamp-micros"}]},
        {"name": "is_open", "type": ["null", "boolean"]},
    ],
}
_ENCODE_SAMPLE = compile_encoder(SAMPLE_SCHEMA)


def read(encoded: bytes, schema: Any) -> Any:
    """Read one record back, and nothing behind it."""
    stream = BytesIO(encoded)
    row = fastavro.schemaless_reader(stream, schema)
    assert not stream.read()
    return row


@given(
    st.builds(
        Sample,
        _LONGS,
        st.none() | st.floats(allow_nan=False),
        st.lists(st.text()).map(tuple),
        st.dictionaries(st.text(), st.integers(-(2**31), 2**31 - 1)),
        st.none() | st.just(1_700_000_000_000_001),
        st.none() | st.booleans(),
    )
)
def test_a_record_of_every_type_is_read_back(sample: Sample) -> None:
    row = read(_ENCODE_SAMPLE(sample), fastavro.parse_schema(SAMPLE_SCHEMA))
    seen = row.pop("seen")
    assert (seen is None) == (sample.seen_us is None)
    expected = {"names": list(sample.names)} | {
        name: getattr(sample, name) for name in ("count", "share", "places", "is_open")
    }
    assert row == expected


@pytest.mark.parametrize("record", ENRICHED.values(), ids=ENRICHED)
def test_an_enriched_record_has_the_bytes_that_fastavro_writes(record: EnrichedAnswer) -> None:
    stream = BytesIO()
    fastavro.schemaless_writer(stream, _PARSED, enriched_to_avro(record))
    assert _ENCODE(record) == stream.getvalue()


def test_blocks_behind_a_header_are_a_file() -> None:
    stream = BytesIO()
    marker = b"sixteen bytes ok"
    fastavro.writer(stream, _PARSED, [], codec="deflate", sync_marker=marker)
    blocks = AvroBlocks(stream, marker)
    records = [*ENRICHED.values()] * 100
    for record in records:
        blocks.write(_ENCODE(record))
    blocks.flush()
    blocks.flush()
    stream.seek(0)
    counts = [block.num_records for block in fastavro.block_reader(stream)]
    assert len(counts) > 1
    assert sum(counts) == len(records)
