"""What a check is told of a fact: its text, and its attributes as further lines."""

from collections.abc import Mapping

from schemas.answer import Fact
from transforms.rules.self_contained import self_contained


def attributes_of(fact: Fact) -> dict[str, str]:
    """Return the attributes that are sent with a fact: title, address and the producer's own."""
    named = {"title": fact.title, "uri": fact.uri}
    return {name: value for name, value in named.items() if value} | fact.attributes


def text_of(fact_text: str, attributes: Mapping[str, str]) -> str:
    """Return all that a fact says, its attributes among it, which the check sees, too."""
    return "\n".join((self_contained(fact_text), *attributes.values()))
