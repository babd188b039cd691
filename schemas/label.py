"""What a person said of an answer."""

import msgspec

from schemas.record import Record


class Span(msgspec.Struct, frozen=True, array_like=True):
    """A stretch of an answer that its facts do not support.

    Attributes:
      start, end: UTF-8 byte offsets into the answer, end exclusive.
      kind: in what way it is unsupported, in the labels' own words.
    """

    start: int
    end: int
    kind: str = "unsupported"


class Label(Record, frozen=True, kw_only=True):
    """What a person said of an answer.

    Attributes:
      is_unsupported: whether anything in it is not supported.
      spans: what is not; None where nobody looked into the answer.
    """

    is_unsupported: bool
    spans: tuple[Span, ...] | None = None
