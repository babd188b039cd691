"""Collect the facts of one answer, each text once, and render structured data as text."""

import json
from collections.abc import Iterable, Iterator

from groundwatch.schemas.answer import Fact
from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.wire.json_input import encoded_once
from groundwatch.schemas.wire.wire_type import OutOfRangeNumber, reject_repeated
from .field_maps.fact_values import (
    is_media,
    is_source_alone,
    read_fact,
    returned_items,
    texts_beside,
)

MAX_FACTS_CHARACTERS = 20_000_000
"""The limit of one answer's facts with their sources: twice the largest message.

A source is written once and kept with each passage: 10 MB could become a record of 1,000 GB.
"""


class FactCollection:
    """Collect distinct texts in their order; a text keeps its first source."""

    def __init__(self) -> None:
        self._facts: list[Fact] = []
        self._index_by_text: dict[str, int] = {}
        self._characters = 0

    def add(
        self,
        text: str,
        *,
        uri: str | None = None,
        title: str | None = None,
        document: str | None = None,
        page: str | int | None = None,
        attributes: Iterable[tuple[str, str]] = (),
    ) -> tuple[int, ...]:
        """Add a text, unless it is there already; return its index as a tuple.

        The tuple is empty if the text is only white space. Too many characters raise
        UnreadableAnswer.
        """
        if not text or text.isspace():
            return ()
        text = text if text[0].isalnum() else encoded_once(text)
        index = self._index_by_text.setdefault(text, len(self._facts))
        if index < len(self._facts):
            return (index,)
        self._count(len(text) + len(uri or "") + len(title or "") + len(document or ""))
        kept = {}
        for name, value in (("page", str(page)),) if page else attributes:
            self._count(len(name) + len(value))
            kept[name] = value
        uri, title, document = uri or None, title or None, document or None
        fact = Fact(text=text, uri=uri, title=title, document=document, attributes=kept)
        self._facts.append(fact)
        return (index,)

    def add_returned(self, returned: object) -> None:
        """Add what a tool returned: texts, objects with a text, or any other object as a whole."""
        if returned in (None, ""):
            return  # most parts of an answer
        items = returned_items(returned)
        for item in items:
            fact = read_fact(item)
            if fact is None or not fact.text.strip():
                is_empty = is_source_alone(item) or is_media(item)
                self.add("" if is_empty else render_value(item))
            else:
                self.add(fact.text, uri=fact.uri, title=fact.title, document=fact.document)
                is_whole = len(items) == 1 and not isinstance(returned, list)
                self.add(render_value(texts_beside(item)) if is_whole else "")

    def find(self, text: str) -> tuple[int, ...]:
        """Return the index of a text, as a tuple; empty if it is not in the collection."""
        return (self._index_by_text[text],) if text in self._index_by_text else ()

    def all(self) -> tuple[Fact, ...]:
        """Return the facts collected so far."""
        return tuple(self._facts)

    def _count(self, characters: int) -> None:
        self._characters += characters
        if self._characters > MAX_FACTS_CHARACTERS:
            raise UnreadableAnswer(
                f"The facts and their sources have over {MAX_FACTS_CHARACTERS} characters."
            )


def first_text(*texts: str) -> str:
    """Return the first text that is not blank, else the first that is not empty, else ""."""
    return next((text for text in texts if text.strip()), next(filter(None, texts), ""))


def render_value(value: object) -> str:
    """Render a string unchanged, an object as lines of "key: value", anything else as JSON.

    Nested keys are joined by points, items of a list by commas; whole numbers have no fraction, and
    fields without a value are left out. A repeated field is UnreadableAnswer.

    >>> render_value({"size": {"cm": 3}, "colours": ["red", "blue"]}).splitlines()
    ['size.cm: 3', 'colours: red, blue']
    """
    reject_repeated(value)
    if isinstance(value, OutOfRangeNumber):
        raise UnreadableAnswer("A number in a fact is out of range.")
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, dict):
        return _join("\n", _lines((), value))
    if isinstance(value, list):
        return _join(", ", filter(None, map(render_value, value)))
    return str(int(value)) if isinstance(value, float) and value.is_integer() else json.dumps(value)


def _lines(keys: tuple[str, ...], value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, field in value.items():
            yield from _lines((*keys, name), field)
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        for item in value:
            yield from _lines(keys, item)
    elif text := render_value(value):
        yield f"{'.'.join(keys)}: {text}"


def _join(separator: str, texts: Iterator[str]) -> str:
    """Join texts up to the limit: each line repeats the keys around it."""
    kept, characters = [], 0
    for text in texts:
        kept.append(text)
        characters += len(text)
        if characters > MAX_FACTS_CHARACTERS:
            raise UnreadableAnswer(f"A fact has over {MAX_FACTS_CHARACTERS} characters.")
    return separator.join(kept)
