"""A message: one generated answer as its producer wrote it, before it is understood."""

from schemas.record import Record


class Message(Record, frozen=True, kw_only=True):
    """One Pub/Sub message, one line of JSON or one row of Avro.

    Attributes:
      payload: the original bytes, without a line's end.
      attributes: the Pub/Sub attributes; empty for a line of a file.
      place: where it came from, stable over reruns: ``path#record_number`` (from 1), or the
        Pub/Sub message id.
      publish_time_us: when it was published, microseconds since 1970 UTC; None for files.
    """

    payload: bytes
    attributes: dict[str, str] = {}
    place: str
    publish_time_us: int | None = None
