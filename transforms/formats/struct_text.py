"""Structured data as text that a claim can be checked against."""

import json
from collections.abc import Iterator

from schemas.unreadable import UnreadableAnswer
from schemas.wire.tolerance import refuse_repeated
from schemas.wire.unusable import OutOfRangeNumber


def render_struct(struct: dict[str, object]) -> str:
    """Write a JSON object as lines of "key: value", in the object's order.

    Nested keys are joined by points, items of a list by commas; numbers and booleans are spelt as
    in JSON, whole numbers without a fraction. Members without a value give no line.

    Raises:
      UnreadableAnswer: if a member stands twice or a number is out of range.
    """
    return "\n".join(_lines("", struct))


def _lines(key: str, value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _lines(f"{key}.{name}" if key else name, member)
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        for item in value:
            yield from _lines(key, item)
    elif text := spell(value):
        yield f"{key}: {text}"


def spell(value: object) -> str:
    """Write one value: strings as they are, objects as lines, all else as JSON spells it.

    Raises:
      UnreadableAnswer: if the value was written twice, or is a number out of range.
    """
    refuse_repeated(value)
    if isinstance(value, OutOfRangeNumber):
        raise UnreadableAnswer("A number in a fact is out of range.")
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, dict):
        return render_struct(value)
    if isinstance(value, list):
        return ", ".join(filter(None, map(spell, value)))
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value)
