"""Files that decode to far more than their size: one failure each, in little memory and time."""

import bz2
import gzip
import io
import json
import lzma
import subprocess
import sys
import zlib
from pathlib import Path

import cramjam
import pyarrow as pa
import pytest
from pyarrow import parquet

from groundwatch.pipeline.sources.zstandard import zstd

_LONG = 100_000_000
_HIGHEST_MB = 300
_HIGHEST_MB_OF_VALUES = {"records.avro": 1_000, "list.parquet": 1_000}
"""Rows of many values take more than their bytes."""

_CODE = """
import resource, sys
from groundwatch.pipeline.sources.archives import examine_file
resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
contents = examine_file(sys.argv[1], are_failures=False)
# The highest of getrusage would be that of the process which started this one.
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(contents.records, int(status["VmHWM"].split()[0]) // 1000, contents.damage)
"""


def zigzag(number: int) -> bytes:
    number <<= 1
    digits = []
    while True:
        digits.append(number & 0x7F | 0x80 * (number > 0x7F))
        number >>= 7
        if not number:
            return bytes(digits)


def avro(codec: str, block: bytes, kind: object = "bytes") -> bytes:
    """An Avro file of one row, as its bytes are in the block."""
    schema = {"type": "record", "name": "Row", "fields": [{"name": "data", "type": kind}]}
    metadata = {"avro.schema": json.dumps(schema), "avro.codec": codec}
    texts = (text.encode() for pair in metadata.items() for text in pair)
    header = zigzag(len(metadata)) + b"".join(zigzag(len(text)) + text for text in texts)
    sync = b"s" * 16
    return b"Obj\x01" + header + b"\0" + sync + zigzag(1) + zigzag(len(block)) + block + sync


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def snappy(data: bytes) -> bytes:
    return bytes(cramjam.snappy.compress_raw(data)) + zlib.crc32(data).to_bytes(4)


def table(column: object) -> bytes:
    stream = io.BytesIO()
    parquet.write_table(pa.table({"answer": column}), stream, compression="zstd")
    return stream.getvalue()


def shared_text() -> bytes:
    texts = pa.array(["x" * 5_000_000])
    return table(pa.DictionaryArray.from_arrays(pa.array([0] * 100_000, pa.int32()), texts))


ZEROS = zigzag(_LONG) + bytes(_LONG)
FLAGS = {"type": "record", "name": "Flag", "fields": [{"name": "flag", "type": "boolean"}]}
NOTHING = {"type": "record", "name": "Nothing", "fields": [{"name": "x", "type": "null"}]}
BOMBS = {
    "x.jsonl.gz": lambda: gzip.compress(bytes(_LONG)),
    "lines.jsonl.gz": lambda: gzip.compress(b"\n" * (_LONG // 10) + bytes(_LONG)),
    "x.jsonl.zst": lambda: zstd.compress(bytes(_LONG)),
    "deflate.avro": lambda: avro("deflate", deflated(ZEROS)),
    "bzip2.avro": lambda: avro("bzip2", bz2.compress(ZEROS)),
    "xz.avro": lambda: avro("xz", lzma.compress(ZEROS)),
    "zstandard.avro": lambda: avro("zstandard", zstd.compress(ZEROS)),
    "snappy.avro": lambda: avro("snappy", snappy(ZEROS)),
    "nulls.avro": lambda: avro("null", zigzag(10**9) + b"\0", {"type": "array", "items": "null"}),
    "empty.avro": lambda: avro("null", zigzag(10**9) + b"\0", {"type": "array", "items": NOTHING}),
    "records.avro": lambda: avro(
        "zstandard",
        zstd.compress(zigzag(20_000_000) + bytes(20_000_001)),
        {"type": "array", "items": FLAGS},
    ),
    "dictionary.parquet": shared_text,
    "page.parquet": lambda: table(pa.array(["x" * _LONG])),
    "list.parquet": lambda: table(pa.array([[None] * 20_000_000], pa.list_(pa.int8()))),
    "nulls.parquet": lambda: table(pa.nulls(20_000_000, pa.int8())),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_file_that_decodes_to_far_more_is_damage(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(BOMBS[name]())
    assert path.stat().st_size < _LONG / 20
    command = [sys.executable, "-c", _CODE, str(path)]
    found = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    _, highest_mb, damage = found.stdout.split(maxsplit=2)
    assert int(highest_mb) < _HIGHEST_MB_OF_VALUES.get(name, _HIGHEST_MB)
    assert damage.strip() != "None"


def test_files_of_ordinary_size_decode(tmp_path: Path) -> None:
    line = b'{"answer": "It rains.", "facts": ["It rains."]}\n'
    path = tmp_path / "x.jsonl.zst"
    path.write_bytes(zstd.compress(line * 1_000_000))
    command = [sys.executable, "-c", _CODE, str(path)]
    found = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    assert found.stdout.split(maxsplit=2)[::2] == ["1000000", "None\n"]
