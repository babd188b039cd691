"""What a check is told of a fact: its text, and its attributes as further lines."""

from collections.abc import Mapping

from schemas.answer import Fact
from transforms.rules.self_contained import self_contained

_ADDRESS = "uri"


def attributes_of(fact: Fact) -> dict[str, str]:
    """Return the attributes that are sent with a fact: title, address and the producer's own."""
    named = {"title": fact.title, _ADDRESS: fact.uri}
    return {name: value for name, value in named.items() if value} | fact.attributes


def text_of(fact_text: str, attributes: Mapping[str, str]) -> str:
    """Return all that the check sees of a fact, its attributes among it."""
    return "\n".join((self_contained(fact_text), *attributes.values()))


def stated_by(fact_text: str, attributes: Mapping[str, str]) -> str:
    """Return all that a fact states: the same but for its address, whose numbers count nothing."""
    stating = {name: value for name, value in attributes.items() if name != _ADDRESS}
    return text_of(fact_text, stating)
