"""Render facts, with their attributes, as the texts sent to the checker."""

from collections.abc import Mapping, Sequence

from groundwatch.schemas.answer import Fact
from groundwatch.transforms.lexical.reading.same_text import in_one_spelling, texts_in_json

FactAndAttributes = tuple[str, Mapping[str, str]]

_URI = "uri"


def fact_attributes(fact: Fact) -> dict[str, str]:
    """Return the attributes sent with a fact: title, URI and the producer's own."""
    named = {"title": fact.title, _URI: fact.uri}
    return {name: value for name, value in named.items() if value} | fact.attributes


def describe_facts(facts: Sequence[Fact]) -> list[FactAndAttributes]:
    """Return the text of each fact with the attributes sent with it."""
    return [(fact.text, fact_attributes(fact)) for fact in facts]


def render_facts(facts: Sequence[FactAndAttributes]) -> tuple[str, ...]:
    """Render each fact with its attributes as further lines.

    JSON becomes the texts in it, and all spellings of a text one.
    """
    texts = ["\n".join((texts_in_json(text), *attrs.values())) for text, attrs in facts]
    return tuple(map(in_one_spelling, texts))


def render_without_uris(
    facts: Sequence[FactAndAttributes], rendered: tuple[str, ...]
) -> tuple[str, ...]:
    """Render facts without their URIs, whose numbers state nothing; `rendered` is with them."""
    if not any(_URI in attributes for _, attributes in facts):
        return rendered
    kept = ({name: each[name] for name in each if name != _URI} for _, each in facts)
    return render_facts([(text, each) for (text, _), each in zip(facts, kept, strict=True)])
