"""Wire types of groundwatch's own input format, for any chatbot."""

from typing import Any, ClassVar

import msgspec

from schemas.wire.tolerance import Essential, Wire


class EnvelopeFact(Wire, frozen=True):
    """A source text; attribute values other than strings are written as JSON spells them."""

    text: Essential[str] = ""
    uri: str = ""
    title: str = ""
    attributes: dict[str, Any] = msgspec.field(default_factory=dict)


class Envelope(Wire, frozen=True):
    """An answer with its facts, each of them a string or an object.

    `time` is RFC 3339, or seconds, milliseconds or microseconds since 1970.
    """

    text_field: ClassVar = "answer"
    facts_field: ClassVar = "facts"

    query: Essential[str] = ""
    answer: Essential[str] = ""
    facts: Essential[tuple[str | EnvelopeFact, ...]] = ()
    id: Essential[str | int | float] = ""
    time: Essential[str | int | float] = ""
    engine: Essential[str | int | float] = ""
    session: Essential[str | int | float] = ""
