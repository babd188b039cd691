"""A message as a producer wrote it, before it is parsed, and the errors of reading it."""

from collections.abc import Sequence

from . import Record

CARRIER_ID = "groundwatch_carrier_id"
"""The attribute with the id that a carrier gives an answer, such as a log entry's `insertId`."""

REPEATABLE_ID = "groundwatch_repeatable_id"
"""The attribute with an id that a tracer or server gives, and may give again, as of a span."""

CARRIER_TIME = "groundwatch_carrier_time"
"""The attribute with the time that a carrier gives an answer."""

CARRIER_ENGINE = "groundwatch_carrier_engine"
"""The attribute with the service that a carrier names: the engine where nothing else is one."""


RECEIVED_US = "groundwatch_received_us"
"""The attribute with the time at which a worker received a message by HTTP, in microseconds."""

_TIME_DIGITS = 16


class EarlierFailure(Record, frozen=True, kw_only=True):
    """The earlier failure of a replayed message."""

    first_failed_at_us: int
    attempts: int


class Message(Record, frozen=True, kw_only=True):
    """One Pub/Sub message, one line of JSON or one row of Avro, or one of the answers in it.

    Attributes:
      payload: the original bytes, without the line end; of one of several answers only its own.
      place: where it was read, stable over reruns: ``path#record_number`` (from 1), or the Pub/Sub
        message id.
      element: the index of the answer in a delivered message of several answers, else None.
      elements: how many answers the delivered message has.
      whole_bytes: the size of a message that is too long to be kept whole, else None.
    """

    payload: bytes
    attributes: dict[str, str] = {}
    place: str
    element: int | None = None
    elements: int = 1
    publish_time_us: int | None = None
    earlier: EarlierFailure | None = None
    whole_bytes: int | None = None

    @property
    def answer_place(self) -> str:
        """The origin of the answer: the place, with ``#k`` for element k."""
        return self.place if self.element is None else f"{self.place}#{self.element}"

    @property
    def arrived_us(self) -> int | None:
        """When it was published, or else received by HTTP; its identity has the former alone."""
        received = self.attributes.get(RECEIVED_US, "")
        if self.publish_time_us is not None or not received.isdecimal():
            return self.publish_time_us
        return int(received[:_TIME_DIGITS])

    @property
    def size(self) -> int:
        """Bytes of the payload and characters of the attributes' values."""
        return len(self.payload) + sum(map(len, self.attributes.values()))


class ParseOptions(Record, frozen=True, kw_only=True):
    """How messages are parsed.

    Attributes:
      input_format: the name of their format or family; None to detect it.
      own_map: pairs of a field and the path that finds it, whatever the format says.
    """

    input_format: str | None = None
    own_map: tuple[tuple[str, str], ...] = ()


class UnreadableAnswer(Exception):
    """A message that cannot be read as an answer without guessing.

    Its text is for a person; it names fields and types, never the answer's text. The first sentence
    names no field of the input, as people's texts may be names, and is kept without the payload.

    Attributes:
      reason: the text without its end: the flags of a field map that would read the message.
      wanted: the fields for which a map is suggested.
    """

    def __init__(self, reason: str, suggestion: str = "", wanted: Sequence[str] = ()) -> None:
        super().__init__(" ".join(filter(None, (reason, suggestion))))
        self.reason, self.wanted = reason, tuple(wanted)


class UnmappedFields(UnreadableAnswer):
    """A message without text or facts, with unknown fields that could hold them."""
