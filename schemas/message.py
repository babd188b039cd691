"""A message: what a producer wrote, before it is parsed."""

from schemas import Record

SALVAGED = "groundwatch_salvaged"
"""The attribute of a message whose bytes no checksum of its damaged archive confirms."""


class EarlierFailure(Record, frozen=True, kw_only=True):
    """What happened before to a message that is replayed.

    Attributes:
      first_failed_at_us: microseconds since 1970 UTC.
      attempts: how often it was tried, at least 1.
    """

    first_failed_at_us: int
    attempts: int


class Message(Record, frozen=True, kw_only=True):
    """One Pub/Sub message, one line of JSON or one row of Avro, or one of the answers in it.

    Attributes:
      payload: the original bytes, without a line's end; of one of several answers its bytes alone.
      attributes: the Pub/Sub attributes; empty for a line of a file.
      place: where the delivered message came from, stable over reruns: ``path#record_number`` (from
        1), or the Pub/Sub message id.
      element: the index of the answer among several answers of the delivered message, None for a
        message that was delivered as it is.
      publish_time_us: when it was published, microseconds since 1970 UTC; None for files.
      earlier: its failure, for a message that is replayed.
      whole_bytes: how many bytes it had, for one too long to be kept whole; None where the payload
        is all of it.
    """

    payload: bytes
    attributes: dict[str, str] = {}
    place: str
    element: int | None = None
    publish_time_us: int | None = None
    earlier: EarlierFailure | None = None
    whole_bytes: int | None = None

    @property
    def answer_place(self) -> str:
        """Where the answer is: the place, with ``#k`` for the k-th (from 0) of several answers."""
        return self.place if self.element is None else f"{self.place}#{self.element}"


class UnreadableAnswer(Exception):
    """A message that cannot be read as an answer without guessing.

    Its text is one sentence for a person; it names fields and types, never the answer's text.
    """


class UnmappedFields(UnreadableAnswer):
    """A message without text or facts, with unknown fields that could hold them."""
