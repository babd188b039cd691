"""Encode records for Beam so that an updated job can read them."""

from functools import cache
from typing import Any, Self

import msgspec
from apache_beam.coders import Coder, registry
from apache_beam.coders.typecoders import CoderRegistry

from groundwatch.schemas import Record


class RecordCoder(Coder):
    """Encode a record as MessagePack with its field names.

    Beam's default is pickle, which depends on the place of a class in the code. With this coder
    an updated job reads the records of the job before, as long as new fields have defaults.
    """

    def __init__(self, record_type: type[Record]) -> None:
        self.record_type = record_type
        self._decoder = msgspec.msgpack.Decoder(record_type)

    @classmethod
    def from_type_hint(cls, typehint: Any, registry: CoderRegistry) -> Self:  # noqa: ARG003 - Beam's way
        """Return the coder of a record's class; raise TypeError for another class."""
        if not (isinstance(typehint, type) and issubclass(typehint, Record)):
            raise TypeError("not the class of a record")
        return cls(typehint)

    def encode(self, value: Record) -> bytes:
        """Encode a record; equal records have equal bytes."""
        return msgspec.msgpack.encode(value, order="deterministic")

    def decode(self, encoded: bytes) -> Record:
        return self._decoder.decode(encoded)

    def is_deterministic(self) -> bool:
        return True

    def to_type_hint(self) -> type[Record]:
        return self.record_type

    def __reduce__(self) -> tuple[type[Self], tuple[type[Record]]]:
        return type(self), (self.record_type,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RecordCoder) and other.record_type is self.record_type

    def __hash__(self) -> int:
        return hash(self.record_type)


@cache
def use_record_coders() -> None:
    """Register `RecordCoder` with Beam for every record class."""
    registry.register_fallback_coder(RecordCoder)
