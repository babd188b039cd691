"""The base of every record that crosses a step of the pipeline."""

import msgspec


class Record(msgspec.Struct, frozen=True):
    """An immutable value: equal by content, encodable as MessagePack.

    Subclasses say ``kw_only=True`` themselves: msgspec does not hand it down.
    """
