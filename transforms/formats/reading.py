"""The interface of an input format: a name, a way to recognise it, and a way to read it."""

from collections.abc import Callable, Mapping

from schemas import Record
from schemas.answer import Answer
from schemas.message import Message
from schemas.wire.wire_type import Wire


class Identity(Record, frozen=True, kw_only=True):
    """Something stable that names an answer; equal values of different kinds are different."""

    kind: str
    value: str


class Reading(Record, frozen=True, kw_only=True):
    """What a message's body says.

    Attributes:
      answer: all but its record_id, which is empty until the message's attributes are seen too,
        unless the body itself says it.
      identity: what the body names the answer by beside its resource name, None if nothing.
    """

    answer: Answer
    identity: Identity | None = None


class Request(Record, frozen=True, kw_only=True):
    """What a format is asked to read.

    Attributes:
      value: the body as parsed JSON, camelCase and without nulls.
      message: the message it came in.
      named: the format or family that somebody said the message is in, None if nobody did.
      facts_from_steps: whether what the generator's searches found counts as facts.
    """

    value: object
    message: Message
    named: str | None = None
    facts_from_steps: bool = False


class Format(Record, frozen=True, kw_only=True):
    """An input format.

    Attributes:
      name: its source_format, such as ``gemini.candidate``; what stands before the point is its
        family.
      shape: the kind of JSON value that holds it.
      fields: those that it reads, some of which a message must have that names the format.
      wire_of: the wire type that an object is read as: the message, or an element of it where it is
        an array.
      recognises: whether a JSON value that names no format is of this one.
      is_chunk: whether an element of an array in this format may be a chunk of one streamed answer.
      read: reads a request; raises UnreadableAnswer.
    """

    name: str
    shape: type[dict[str, object]] | type[list[object]]
    fields: frozenset[str]
    wire_of: Callable[[Mapping[str, object]], type[Wire]]
    recognises: Callable[[object], bool]
    read: Callable[[Request], Reading]
    is_chunk: bool = False
