"""Structured data as text that a claim can be checked against."""

import json
from collections.abc import Iterator

from schemas.message import UnreadableAnswer
from schemas.wire.wire_type import OutOfRangeNumber, refuse_repeated
from transforms.formats.facts import MAX_FACTS_CHARACTERS


def render_struct(struct: dict[str, object]) -> str:
    """Write a JSON object as lines of "key: value", in the object's order.

    Nested keys are joined by points, items of a list by commas; numbers and booleans are spelt as
    in JSON, whole numbers without a fraction. Members without a value give no line.

    Raises:
      UnreadableAnswer: if a member stands twice, a number is out of range, or the lines are longer
        than facts may be.
    """
    return _join("\n", _lines((), struct))


def _lines(keys: tuple[str, ...], value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _lines((*keys, name), member)
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        for item in value:
            yield from _lines(keys, item)
    elif text := spell(value):
        yield f"{'.'.join(keys)}: {text}"


def _join(separator: str, texts: Iterator[str]) -> str:
    """Join texts as far as memory is safe: each line repeats the keys around it."""
    kept, characters = [], 0
    for text in texts:
        kept.append(text)
        characters += len(text)
        if characters > MAX_FACTS_CHARACTERS:
            raise UnreadableAnswer(f"A fact has over {MAX_FACTS_CHARACTERS} characters.")
    return separator.join(kept)


def spell(value: object) -> str:
    """Write one value: strings as they are, objects as lines, all else as JSON spells it.

    Raises:
      UnreadableAnswer: if the value was written twice, is a number out of range, or is longer than
        facts may be.
    """
    refuse_repeated(value)
    if isinstance(value, OutOfRangeNumber):
        raise UnreadableAnswer("A number in a fact is out of range.")
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, dict):
        return render_struct(value)
    if isinstance(value, list):
        return _join(", ", filter(None, map(spell, value)))
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value)
