"""Read messages from Avro rows, in every codec and of every producer."""

import io
from pathlib import Path
from typing import Any

import fastavro
import pytest

from groundwatch.pipeline.sources.archives import read_archive
from groundwatch.pipeline.sources.compression import DamagedArchive
from groundwatch.schemas.message import Message
from tests.support.archives import an_envelope, avro_of, buffered, payloads, read_all, read_damaged
from tests.support.outputs import records_in, summary_in
from tests.support.runs import backfill

LINES = [an_envelope(number, answer="Größe: 90 °C, sagt das Café.") for number in range(40)]
BYTES = ("data", "bytes")


@pytest.mark.parametrize("codec", ["null", "deflate", "snappy", "zstandard", "bzip2", "xz"])
def test_the_rows_of_avro_are_messages(codec: str) -> None:
    content = avro_of([{"data": line} for line in LINES], BYTES, codec=codec)
    assert payloads(read_all(content)) == LINES


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        pytest.param("bytes", b"\xff{}", id="bytes"),
        pytest.param("string", "{é}", id="string"),
        pytest.param(["null", "bytes"], b"{}", id="bytes or null"),
        pytest.param({"type": "string", "avro.java.string": "String"}, "{}", id="Java's string"),
    ],
)
@pytest.mark.parametrize("name", ["data", "payload", "message", "body"])
def test_a_payload_may_be_bytes_or_string(name: str, kind: object, value: bytes | str) -> None:
    [message] = read_all(avro_of([{name: value, "n": 1}], (name, kind), ("n", "long")), "x.avro")
    assert message.payload == (value.encode() if isinstance(value, str) else value)
    assert message.place == "x.avro#1"


def test_a_row_without_a_payload_is_an_empty_message() -> None:
    content = avro_of([{"data": None}, {"data": b"{}"}], ("data", ["null", "bytes"]))
    assert payloads(read_all(content)) == [b"", b"{}"]


def test_text_attributes_are_kept() -> None:
    kinds = ("attributes", {"type": "map", "values": ["null", "string"]})
    rows = [{"data": b"{}", "attributes": {"id": "7", "gone": None}}]
    [message] = read_all(avro_of(rows, BYTES, kinds))
    assert message.attributes == {"id": "7"}


def test_attributes_may_be_a_text_of_json() -> None:
    rows = [{"data": b"{}", "attributes": text} for text in ('{"id": "7", "n": 1}', "none", "[]")]
    messages = read_all(avro_of(rows, BYTES, ("attributes", "string")))
    assert [message.attributes for message in messages] == [{"id": "7"}, {}, {}]


def test_bad_utf8_in_a_row_affects_no_other_row() -> None:
    content = avro_of([{"data": "first"}, {"data": "bad"}, {"data": "third"}], ("data", "string"))
    spoilt = content.replace(b"bad", b"b\xffd")
    assert payloads(read_all(spoilt)) == [b"first", b"b\xffd", b"third"]


def test_bad_utf8_in_ids_is_escaped() -> None:
    fields = ("message_id", "string"), ("attributes", {"type": "map", "values": "string"})
    rows = [
        {"data": b"{}", "message_id": name, "attributes": {"id": name}} for name in ("bad", "bed")
    ]
    content = avro_of(rows, BYTES, *fields)
    messages = read_all(content.replace(b"bad", b"b\xffd").replace(b"bed", b"b\xfed"))
    names = [r"b\xffd", r"b\xfed"]
    assert [message.place for message in messages] == names
    assert [message.attributes["id"] for message in messages] == names


@pytest.mark.parametrize(
    ("kinds", "row", "payload"),
    [
        pytest.param({"a": "string", "b": "bytes"}, {"a": "x", "b": b"y"}, b'{"a":"x","b":"y"}'),
        pytest.param({"n": "long"}, {"n": 5}, b'{"n":5}'),
        pytest.param({"data": "long"}, {"data": 5}, b'{"data":5}'),
        pytest.param({"data": ["string", "long"]}, {"data": 5}, b'{"data":5}'),
        pytest.param(
            {"answer": "string", "facts": {"type": "array", "items": "string"}},
            {"answer": "It rains.", "facts": ["Rain."]},
            b'{"answer":"It rains.","facts":["Rain."]}',
        ),
    ],
)
def test_a_row_without_a_field_for_a_message_is_one_of_columns(
    kinds: dict[str, object], row: dict[str, object], payload: bytes
) -> None:
    assert payloads(read_all(avro_of([row], *kinds.items()), "x.avro")) == [payload]


def test_the_only_text_of_a_row_is_its_message_if_it_is_json() -> None:
    rows = [{"body": '{"answer": "a"}', "n": 1}, {"body": "It rains.", "n": 2}]
    content = avro_of(rows, ("body", "string"), ("n", "long"))
    assert payloads(read_all(content)) == [b'{"answer": "a"}', b'{"body":"It rains.","n":2}']


def test_an_unknown_codec_is_named() -> None:
    content = avro_of([{"data": b"{}"}], BYTES).replace(b"\x08null", b"\x06lz4")
    with pytest.raises(DamagedArchive, match=r"codec is unknown\. It is 'lz4', not null, "):
        read_all(content)


def test_a_block_that_cannot_be_decompressed_is_damage() -> None:
    # Flipped bits in the codecs with a checksum: test_damaged_archives.py.
    content = avro_of([{"data": line} for line in LINES], BYTES, codec="zstandard", block=1000)
    middle = len(content) // 2
    spoilt = content[:middle] + b"\xff" * 200 + content[middle + 200 :]
    messages, damage = read_damaged(spoilt)
    assert damage is not None
    assert payloads(messages) == LINES[: len(messages)] != []


def a_record(name: str, namespace: str, *fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "record", "namespace": namespace, "name": name, "fields": [*fields]}


DATA = {"name": "data", "type": "bytes"}
ATTRIBUTES = {"name": "attributes", "type": {"type": "map", "values": "string"}}
METADATA = (
    {"name": "subscription_name", "type": "string"},
    {"name": "message_id", "type": "string"},
    {"name": "publish_time", "type": {"type": "long", "logicalType": "timestamp-micros"}},
    ATTRIBUTES,
)

# docs.cloud.google.com/pubsub/docs/create-cloudstorage-subscription, read 2026-11-20.
PLAIN = a_record("PubsubMessage", "com.google.pubsub", DATA)
WITH_METADATA = a_record("PubsubMessageWithMetadata", "com.google.pubsub", *METADATA, DATA)
# "Use topic schema" writes the topic's own fields in the place of data.
TOPIC_SCHEMA = a_record("Answer", "example", *METADATA, {"name": "body", "type": "string"})

# The class AvroPubsubMessageRecord of GoogleCloudPlatform/DataflowTemplates (e7016cf), in the form
# that Avro's reflection gives it.
TEMPLATE = a_record(
    "AvroPubsubMessageRecord",
    "com.google.cloud.teleport.avro",
    {"name": "message", "type": {"type": "bytes", "java-class": "[B"}},
    ATTRIBUTES,
    {"name": "timestamp", "type": "long"},
)

PUBLISHED_US = 1_772_539_200_123_456
DELIVERED = {
    "subscription_name": "projects/p/subscriptions/answers",
    "message_id": "17",
    "publish_time": PUBLISHED_US,
    "attributes": {"engine": "shop", "ordering_key": "k"},
}
LINE = LINES[0]
PULLED = Message(
    payload=LINE,
    place="17",
    publish_time_us=PUBLISHED_US,
    attributes={"engine": "shop", "ordering_key": "k"},
)


def written(schema: dict[str, Any], *rows: dict[str, Any]) -> bytes:
    stream = io.BytesIO()
    fastavro.writer(stream, schema, rows, codec="deflate")
    return stream.getvalue()


@pytest.mark.parametrize(
    ("schema", "row", "message"),
    [
        pytest.param(
            PLAIN, {"data": LINE}, Message(payload=LINE, place="x.avro#1"), id="subscription"
        ),
        pytest.param(
            WITH_METADATA, DELIVERED | {"data": LINE}, PULLED, id="subscription with metadata"
        ),
        pytest.param(
            TOPIC_SCHEMA,
            DELIVERED | {"body": LINE.decode()},
            PULLED,
            id="subscription with the topic's schema",
        ),
        pytest.param(
            TEMPLATE,
            {"message": LINE, "attributes": {"id": "7"}, "timestamp": 1_772_539_200_123},
            Message(
                payload=LINE,
                place="x.avro#1",
                publish_time_us=1_772_539_200_123_000,
                attributes={"id": "7"},
            ),
            id="template",
        ),
        pytest.param(
            TEMPLATE,
            {"message": LINE, "attributes": {}, "timestamp": -(2**63) // 1000},
            Message(payload=LINE, place="x.avro#1"),
            id="template without a time",
        ),
    ],
)
def test_messages_exported_by_pubsub_are_read_as_published(
    schema: dict[str, Any], row: dict[str, Any], message: Message
) -> None:
    assert read_all(written(schema, row), "x.avro") == [message]


def test_a_timestamp_of_another_producer_is_not_a_publish_time() -> None:
    rows = [{"data": b"{}", "timestamp": 1_772_539_200}]
    [message] = read_all(avro_of(rows, BYTES, ("timestamp", "long")))
    assert message.publish_time_us is None


def test_a_message_that_was_exported_twice_is_one_answer(tmp_path: Path) -> None:
    row = DELIVERED | {"data": b'{"answerText": "Hello!"}'}
    (tmp_path / "x.avro").write_bytes(written(WITH_METADATA, row, row | {"message_id": "18"}, row))
    assert backfill(tmp_path / "x.avro", tmp_path / "out") == 0
    summary = summary_in(tmp_path / "out")
    assert (summary["enriched"], summary["duplicates"]) == (2, 1)
    assert {record["engine"] for record in records_in(tmp_path / "out")} == {"shop"}


class _FailingStream(io.BytesIO):
    """A file whose storage goes away after its first blocks were read."""

    def readinto(self, buffer: Any) -> int:
        if self.tell():
            raise OSError("the storage has gone away")
        return super().readinto(buffer)


def test_a_failing_storage_is_not_a_damaged_archive() -> None:
    content = avro_of([{"data": line} for line in LINES * 10], BYTES)
    with pytest.raises(OSError, match="the storage has gone away"):
        list(read_archive(buffered(_FailingStream(content)), "x.avro"))
