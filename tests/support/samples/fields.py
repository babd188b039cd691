"""How one field of a protocol buffer message behaves in JSON."""

from collections.abc import Mapping

from groundwatch.schemas import Record


class Field(Record, frozen=True):
    """One field's type, as far as it shows in JSON.

    Attributes:
      default: written by the Python clients where nothing was set; None for a field whose
        absence is visible (optional fields, messages, fields of a oneof).
      repeated: whether it is an array.
      as_text: an int64, which JSON carries as a string.
      names: the values of an enum, in the order of their numbers.
      fields: those of a message.
    """

    default: object = None
    repeated: bool = False
    as_text: bool = False
    names: tuple[str, ...] = ()
    fields: "Shape | None" = None


Shape = Mapping[str, Field]

TEXT = Field("")
TEXTS = Field("", repeated=True)
INT32 = Field(0)
INT32S = Field(0, repeated=True)
INT64 = Field(0, as_text=True)
INT64S = Field(0, as_text=True, repeated=True)
DOUBLE = Field(0.0)
DOUBLES = Field(0.0, repeated=True)
BOOLEAN = Field(default=False)
MAP = Field({})
OPTIONAL = Field()


def one(shape: Shape) -> Field:
    """Describe a field that holds one message."""
    return Field(fields=shape)


def many(shape: Shape) -> Field:
    """Describe a field that holds an array of messages."""
    return Field(fields=shape, repeated=True)


def choice(*names: str) -> Field:
    """Describe a field that holds an enum value, its names in the order of their numbers."""
    return Field(names[0], names=names)
