"""Define what an input format is: a name, a rule that detects it, and a function that reads it."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from groundwatch.schemas import Record
from groundwatch.schemas.answer import Answer
from groundwatch.schemas.message import Message
from groundwatch.schemas.wire.json_input import has_any, read_json, read_with_nulls
from groundwatch.schemas.wire.wire_type import Wire
from .carriers.carrier import Carrier
from .field_maps.field_map import FieldMap

Reading = tuple[Answer, str]
"""An answer as read from a message's body alone, and the token that names it, or "".

The `record_id` is empty unless the body holds one.
"""


class Request(Record, frozen=True, kw_only=True):
    """One answer to read: parsed JSON, camelCase and without nulls, and its message alone.

    The value is the error if a body of a carrier cannot be read. `input_format` and `own_map` are
    the user's. `carried_by` are the carriers that the body was in, from the outermost, each with
    what it was unwrapped from.
    """

    value: object
    message: Message
    input_format: str | None = None
    carried_by: tuple[tuple[Carrier, Mapping[str, Any]], ...] = ()
    own_map: FieldMap | None = None

    @property
    def named_format(self) -> str | None:
        """The format or family that the user, the producer or a carrier has named."""
        return self.input_format or self.message.attributes.get("format") or None

    @property
    def names_answer(self) -> bool:
        """Whether the user's map has the answer: names do not decide between several texts."""
        return self.own_map is not None and "answer" in self.own_map.paths

    def as_written(self) -> object:
        """Return the value with the spelling of the message, where it is the whole message."""
        return self.value if self.carried_by else read_json(self.message.payload)

    def places(self) -> tuple[object, object]:
        """Return where paths may begin: the value, and the whole message with its nulls."""
        return self.value, read_with_nulls(self.message.payload)


class Format(Record, frozen=True, kw_only=True):
    """An input format.

    Attributes:
      name: its source_format, such as ``gemini.candidate``: the family, a point, and the rest.
      fields: a message whose format is named must have at least one of these.
      marks: a message that is detected has at least one of these; by default `fields`.
      wire_of: returns the wire type of an object: of the message, or of an element of an array.
      field_map: the paths by which it is read, where it has no wire type.
      detects: returns whether an object is in this format; of an array, some element must be.
      read: reads a request; raises UnreadableAnswer.
      prompt: returns the texts of the request, which may hold the facts, and the path of one.
      can_be_chunk: whether an element of an array in this format can be a chunk of one answer.
      ids_may_repeat: whether a server or SDK made the ids, and may give them again: they identify
        an answer together with its content.
    """

    name: str
    fields: frozenset[str]
    wire_of: Callable[[Mapping[str, object]], type[Wire]] = lambda _: Wire
    field_map: FieldMap | None = None
    detects: Callable[[Any], bool]
    read: Callable[[Request], Reading]
    prompt: Callable[[Any], tuple[Iterable[str], str]] = lambda _: ((), "")
    marks: frozenset[str] = frozenset()
    is_array: bool = False
    can_be_chunk: bool = False
    ids_may_repeat: bool = False

    @property
    def family(self) -> str:
        """The producer, such as ``gemini``."""
        return self.name.partition(".")[0]

    def has_fields(self, value: object) -> bool:
        """Return whether parsed JSON of the right shape has any field of this format."""
        objects: object = value if self.is_array else [value]
        return isinstance(objects, list) and any(has_any(item, self.fields) for item in objects)

    def matches(self, value: object) -> bool:
        """Return whether parsed JSON is in this format."""
        if isinstance(value, list) and self.is_array:
            return all(isinstance(each, dict) for each in value) and any(map(self.detects, value))
        return isinstance(value, dict) and not self.is_array and self.detects(value)
