"""Files that decode to far more than their size: one failure each, in little memory and time."""

import bz2
import gzip
import io
import json
import lzma
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import cramjam
import pyarrow as pa
import pytest
from pyarrow import parquet

from groundwatch.pipeline.sinks.avro_encoder import encode_long
from groundwatch.pipeline.sources.compression import zstd
from tests.support.commands import ChildProcess

_LONG = 100_000_000
_HIGHEST_MB = 300
_HIGHEST_MB_OF_VALUES = {"records.avro": 1_000, "list.parquet": 1_000}
"""Rows of many values take more than their bytes."""

_CODE = """
import resource, sys
import pyarrow
from groundwatch.pipeline.sources.archives import examine_file
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
for path in sys.stdin:
    pyarrow.default_memory_pool().release_unused()
    with open("/proc/self/clear_refs", "w") as highest:
        highest.write("5")  # VmHWM begins again at what is held now
    contents = examine_file(path.rstrip(), are_failures=False)
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    highest_mb = int(status["VmHWM"].split()[0]) // 1000
    print(contents.records, highest_mb, contents.damage, flush=True)
"""


def avro(codec: str, block: bytes, kind: object = "bytes") -> bytes:
    """An Avro file of one row, as its bytes are in the block."""
    schema = {"type": "record", "name": "Row", "fields": [{"name": "data", "type": kind}]}
    metadata = {"avro.schema": json.dumps(schema), "avro.codec": codec}
    texts = (text.encode() for pair in metadata.items() for text in pair)
    header = encode_long(len(metadata)) + b"".join(encode_long(len(text)) + text for text in texts)
    sync = b"s" * 16
    return (
        b"Obj\x01" + header + b"\0" + sync + encode_long(1) + encode_long(len(block)) + block + sync
    )


def zeros() -> bytes:
    return encode_long(_LONG) + bytes(_LONG)


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def snappy(data: bytes) -> bytes:
    return bytes(cramjam.snappy.compress_raw(data)) + zlib.crc32(data).to_bytes(4)


def table(column: object) -> bytes:
    stream = io.BytesIO()
    parquet.write_table(
        pa.table({"answer": column}), stream, compression="zstd", write_statistics=False
    )
    return stream.getvalue()


def shared_text() -> bytes:
    texts = pa.array(["x" * 5_000_000])
    return table(pa.DictionaryArray.from_arrays(pa.array([0] * 100_000, pa.int32()), texts))


FLAGS = {"type": "record", "name": "Flag", "fields": [{"name": "flag", "type": "boolean"}]}
NOTHING = {"type": "record", "name": "Nothing", "fields": [{"name": "x", "type": "null"}]}
BOMBS = {
    "x.jsonl.gz": lambda: gzip.compress(bytes(_LONG)),
    "lines.jsonl.gz": lambda: gzip.compress(b"\n" * (_LONG // 10) + bytes(_LONG)),
    "x.jsonl.zst": lambda: zstd.compress(bytes(_LONG)),
    "deflate.avro": lambda: avro("deflate", deflated(zeros())),
    "bzip2.avro": lambda: avro("bzip2", bz2.compress(zeros(), 1)),
    "xz.avro": lambda: avro("xz", lzma.compress(zeros(), preset=0)),
    "zstandard.avro": lambda: avro("zstandard", zstd.compress(zeros())),
    "snappy.avro": lambda: avro("snappy", snappy(zeros())),
    "nulls.avro": lambda: avro(
        "null", encode_long(10**9) + b"\0", {"type": "array", "items": "null"}
    ),
    "empty.avro": lambda: avro(
        "null", encode_long(10**9) + b"\0", {"type": "array", "items": NOTHING}
    ),
    "records.avro": lambda: avro(
        "zstandard",
        zstd.compress(encode_long(20_000_000) + bytes(20_000_001)),
        {"type": "array", "items": FLAGS},
    ),
    "dictionary.parquet": shared_text,
    "page.parquet": lambda: table(pa.array(["x" * _LONG])),
    "list.parquet": lambda: table(pa.array([[None] * 20_000_000], pa.list_(pa.int8()))),
    "nulls.parquet": lambda: table(pa.nulls(20_000_000, pa.int8())),
}


@pytest.fixture(scope="module")
def reader() -> Iterator[ChildProcess]:
    """A process that examines the files whose paths it is sent."""
    command = [sys.executable, "-c", _CODE]
    with ChildProcess(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        yield process


def examined(reader: ChildProcess, path: Path, content: bytes) -> tuple[int, int, str]:
    """What the process says of a file: records, megabytes that it took, damage."""
    path.write_bytes(content)
    assert reader.stdin
    assert reader.stdout
    print(path, file=reader.stdin)
    records, highest_mb, damage = reader.stdout.readline().split(maxsplit=2)
    return int(records), int(highest_mb), damage.strip()


@pytest.mark.parametrize("name", BOMBS)
def test_a_file_that_decodes_to_far_more_is_damage(
    tmp_path: Path, reader: ChildProcess, name: str
) -> None:
    content = BOMBS[name]()
    assert len(content) < _LONG / 20
    _, highest_mb, damage = examined(reader, tmp_path / name, content)
    assert highest_mb < _HIGHEST_MB_OF_VALUES.get(name, _HIGHEST_MB)
    assert damage != "None"


def test_files_of_ordinary_size_decode(tmp_path: Path, reader: ChildProcess) -> None:
    line = json.dumps({"answer": "It rains. " * 50, "facts": ["It rains."]}).encode() + b"\n"
    content = zstd.compress(line * 90_000)
    records, _, damage = examined(reader, tmp_path / "x.jsonl.zst", content)
    assert (records, damage) == (90_000, "None")
