"""A message that came by HTTP."""

from groundwatch.schemas import Record


class PostedMessage(Record, frozen=True, kw_only=True):
    """A message that was posted, or a part of the trace that `trace` names.

    Attributes:
      place: the same each time the message is posted, if it has an id.
      is_complete: whether the trace ends with this part.
      is_of_model: whether a span of the part is of a model's call, or of what gives it facts.
    """

    payload: bytes
    place: str
    attributes: dict[str, str]
    trace: str = ""
    is_complete: bool = False
    is_of_model: bool = True
