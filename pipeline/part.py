"""A file that a step has written and that is not public yet."""

from schemas import Record


class Part(Record, frozen=True, kw_only=True, rename={"size_bytes": "bytes"}):
    """A finished file of one kind of row, to be published alone or joined with others.

    Attributes:
      path: where it is.
      kind: of its rows: ``enriched``, ``alerts`` or ``failures``.
      folder: the output folder that its rows belong to, relative to the output's root.
      rows, size_bytes: how many; stored as `bytes`, as in version 1.
      first_event_us, last_event_us: the range of event times, None where no row has one.
      keys: of the records in it, 16 bytes each, in their order; empty where nobody needs them.
    """

    path: str
    kind: str
    folder: str
    rows: int
    size_bytes: int
    first_event_us: int | None
    last_event_us: int | None
    keys: bytes = b""
