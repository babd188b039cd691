"""What things are: wire types, records and Avro schemas. No Beam, no I/O."""

import msgspec


class Record(msgspec.Struct, frozen=True):
    """An immutable value: equal by content, encodable as MessagePack.

    Subclasses say ``kw_only=True`` themselves: msgspec does not hand it down.
    """
