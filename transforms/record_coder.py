"""How records travel between machines, and stay readable while a job is updated."""

from functools import cache
from typing import Any, Self

import msgspec
from apache_beam.coders import Coder, registry
from apache_beam.coders.typecoders import CoderRegistry

from schemas import Record


class RecordCoder(Coder):
    """A record as MessagePack, its fields by name.

    Beam's own way would be pickle, which ties what is under way to the classes' places in the code.
    Here a job that is updated reads what the one before it left, as long as new fields have
    defaults.

    Args:
      record_type: the class of the records.
    """

    def __init__(self, record_type: type[Record]) -> None:
        self.record_type = record_type
        self._decoder = msgspec.msgpack.Decoder(record_type)

    @classmethod
    def from_type_hint(cls, typehint: Any, registry: CoderRegistry) -> Self:  # noqa: ARG003 - Beam's way
        """Make the coder of a record's class.

        Raises:
          TypeError: it is the class of something else.
        """
        if not (isinstance(typehint, type) and issubclass(typehint, Record)):
            raise TypeError("not the class of a record")
        return cls(typehint)

    def encode(self, value: Record) -> bytes:
        """Write a record; equal ones alike."""
        return msgspec.msgpack.encode(value, order="deterministic")

    def decode(self, encoded: bytes) -> Record:
        """Read a record back."""
        return self._decoder.decode(encoded)

    def is_deterministic(self) -> bool:
        """It is."""
        return True

    def to_type_hint(self) -> type[Record]:
        """Tell whose coder it is."""
        return self.record_type

    def __reduce__(self) -> tuple[type[Self], tuple[type[Record]]]:
        return type(self), (self.record_type,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RecordCoder) and other.record_type is self.record_type

    def __hash__(self) -> int:
        return hash(self.record_type)


@cache
def use_record_coders() -> None:
    """Have Beam take `RecordCoder` for every record, wherever it knows that it is one."""
    registry.register_fallback_coder(RecordCoder)
