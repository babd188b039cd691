"""groundwatch's own input format, for a chatbot of any make."""

from typing import Any

import msgspec

from schemas.wire.tolerance import Essential, Wire


class EnvelopeFact(Wire, frozen=True):
    """A source text; attribute values that are no strings are written as JSON spells them."""

    text: Essential[str] = ""
    uri: str = ""
    title: str = ""
    attributes: dict[str, Any] = msgspec.field(default_factory=dict)


class Envelope(Wire, frozen=True):
    """An answer with its facts, each of them a string or an object; `time` is RFC 3339."""

    query: Essential[str] = ""
    answer: Essential[str] = ""
    facts: Essential[tuple[str | EnvelopeFact, ...]] = ()
    id: Essential[str] = ""
    time: Essential[str] = ""
    engine: Essential[str] = ""
    session: Essential[str] = ""
