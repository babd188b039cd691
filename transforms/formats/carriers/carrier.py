"""Define what a carrier is: a rule that detects it, and a function that unwraps its answers."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from groundwatch.schemas import Record
from groundwatch.transforms.formats.unread_content import SearchedPart


class CarriedBody(Record, frozen=True, kw_only=True):
    """A body that a carrier holds.

    Attributes:
      body: JSON, or a text of JSON.
      attributes: what the carrier says about the answer, added to the attributes of the message:
        `CARRIER_ID` or `REPEATABLE_ID`, `CARRIER_TIME`, `trace_id`, `span_id`, `response_id`,
        `session`, `format`.
      publish_time: when Pub/Sub published the body.
      alone: the carrier with this body alone, if it holds several.
    """

    body: object
    attributes: dict[str, str] = {}
    publish_time: str = ""
    alone: Any = None


class Carrier(Record, frozen=True, kw_only=True):
    """A JSON object of another system that holds answers in any format.

    Attributes:
      name: its name in error messages.
      marks: a carrier has at least one of these fields; they keep the detection fast.
      unread: returns what is beside the bodies, without what never holds text or facts. Where an
        answer lacks its text or facts, what could hold them is reported.
      detects: returns whether an object with a mark is this carrier.
      unwrap: returns the bodies; raises UnreadableAnswer.
    """

    name: str
    marks: frozenset[str]
    unread: Callable[[Mapping[str, Any]], Iterable[SearchedPart]]
    detects: Callable[[Mapping[str, Any]], bool]
    unwrap: Callable[[Mapping[str, Any]], Iterable[CarriedBody]]


def text_attributes(**values: object) -> dict[str, str]:
    """Return the values that are texts or numbers, and not blank, as attributes of a message."""
    texts = {
        name: str(value)
        for name, value in values.items()
        if isinstance(value, str | int) and not isinstance(value, bool)
    }
    return {name: text for name, text in texts.items() if text.strip()}
