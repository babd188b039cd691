"""Read facts from Python objects, such as a retriever's documents, without their libraries."""

from collections.abc import Iterable, Mapping

from groundwatch.transforms.runtime.errors import type_name
from .field_maps.fact_values import read_fact

BYTES = (bytes, bytearray, memoryview)
_TEXTS = ("page_content", "text", "content")
_METADATA = ("metadata", "meta")
_ABOUT = ("title", "uri", "url", *_METADATA)

Fact = str | dict[str, object]
"""A text, or the fields of a fact as a message has them."""


def read_facts_given(facts: object) -> list[Fact]:
    """Read the facts that a program gives for an answer.

    Raises:
      TypeError: they are no list, or one of them is neither a text nor has one.
    """
    is_one = isinstance(facts, (str, Mapping, *BYTES)) or _has_text(facts)
    if is_one or not isinstance(facts, Iterable):
        raise TypeError(
            f"facts is {type_name(facts)}: pass a list, such as [fact], or [] if there are none"
        )
    return [_fact(each, f"facts[{number}]") for number, each in enumerate(facts)]


def refuse_bytes(name: str, value: object) -> None:
    """Raise TypeError for bytes in a value, by its name: JSON would have them in base64."""
    if isinstance(value, BYTES):
        raise TypeError(f"{name} is {type_name(value)}: pass its text, as {name}.decode()")
    inner: Iterable[tuple[object, object]] = ()
    if isinstance(value, list | tuple):
        inner = enumerate(value)
    elif isinstance(value, Mapping):
        inner = value.items()
    for key, each in inner:
        refuse_bytes(f"{name}[{key!r}]", each)


def _fact(fact: object, name: str) -> Fact:
    if isinstance(fact, str):
        return fact
    if isinstance(fact, Mapping):
        fields = {str(key): value for key, value in fact.items()}
        refuse_bytes(name, {key: each for key, each in fields.items() if key not in _METADATA})
    elif _has_text(fact):
        given = {name: getattr(fact, name, None) for name in (*_TEXTS, *_ABOUT, "attributes")}
        fields = {name: each for name, each in given.items() if isinstance(each, str | Mapping)}
    else:
        refuse_bytes(name, fact)
        raise TypeError(
            f"{name} is {type_name(fact)}: pass a text, a mapping with 'text', or an object with"
            " page_content"
        )
    found = read_fact(fields)
    if found is None:
        named = ", ".join(map(repr, fields)) or "none"
        raise TypeError(f"{name} has no text: pass it as 'text'; its fields are {named}")
    # What a library calls otherwise gets the name that a message has for it.
    named_as = {"text": found.text, "title": found.title, "uri": found.uri}
    kept = {key: fields[key] for key in ("text", "title", "uri", "attributes") if fields.get(key)}
    return {key: value for key, value in named_as.items() if value is not None} | kept


def _has_text(value: object) -> bool:
    return any(isinstance(getattr(value, name, None), str) for name in _TEXTS)
