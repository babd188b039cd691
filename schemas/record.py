"""The base of every record that crosses a step of the pipeline."""

import msgspec


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """An immutable value: equal by content, named fields only, encodable as MessagePack."""
