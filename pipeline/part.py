"""A file that a step has written and that is not public yet."""

from schemas.record import Record


class Part(Record, frozen=True, kw_only=True):
    """A finished file of one kind of row, to be published alone or joined with others.

    Attributes:
      path: where it is.
      kind: of its rows: ``enriched``, ``alerts`` or ``failures``.
      folder: the output folder that its rows belong to, relative to the output's root.
      rows, bytes: how many.
      first_event_us, last_event_us: the range of event times, None where no row has one.
    """

    path: str
    kind: str
    folder: str
    rows: int
    bytes: int
    first_event_us: int | None
    last_event_us: int | None
