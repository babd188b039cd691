"""Render facts, with their attributes as further lines, as the texts that a check sees."""

from collections.abc import Mapping, Sequence

from schemas.answer import Fact
from transforms.rules.self_contained import self_contained

FactAndAttributes = tuple[str, Mapping[str, str]]

_ADDRESS = "uri"
_MOST_REWRITTEN_CHARS = 150_000


def attributes_of(fact: Fact) -> dict[str, str]:
    """Return the attributes that are sent with a fact: title, address and the producer's own."""
    named = {"title": fact.title, _ADDRESS: fact.uri}
    return {name: value for name, value in named.items() if value} | fact.attributes


def texts_of(facts: Sequence[FactAndAttributes]) -> tuple[str, ...]:
    """Return all that the check sees of each fact, its attributes among it.

    The rows of tables and the fields of records repeat what they are of, unless the facts have
    more than 150,000 characters.

    Args:
      facts: the text of each, and its attributes.
    """
    if sum([len(text) for text, _ in facts]) <= _MOST_REWRITTEN_CHARS:
        facts = [(self_contained(text), attributes) for text, attributes in facts]
    return tuple(
        [
            "\n".join((text, *attributes.values())) if attributes else text
            for text, attributes in facts
        ]
    )


def statements_of(facts: Sequence[FactAndAttributes], texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return all that each fact states: the same but for its address, whose numbers count nothing.

    Args:
      facts: the text of each, and its attributes.
      texts: the same facts as `texts_of` returns them.
    """
    if not any(_ADDRESS in attributes for _, attributes in facts):
        return texts
    return texts_of([(text, _without_address(attributes)) for text, attributes in facts])


def _without_address(attributes: Mapping[str, str]) -> Mapping[str, str]:
    return {name: value for name, value in attributes.items() if name != _ADDRESS}
