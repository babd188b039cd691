"""Which input format a message is in."""

from schemas.unreadable import UnreadableAnswer
from transforms.formats import (
    answer_query,
    answer_resource,
    candidate,
    envelope,
    generate_answer,
    generate_content,
    stream_answer,
)
from transforms.formats.reading import Format

FORMATS: tuple[Format, ...] = (
    envelope.FORMAT,
    stream_answer.FORMAT,
    generate_answer.FORMAT,
    generate_content.FORMAT,
    answer_resource.FORMAT,
    answer_query.FORMAT,
    candidate.FORMAT,
)


def format_names() -> tuple[str, ...]:
    """All that a message's format can be called: source formats and their families."""
    names = [input_format.name for input_format in FORMATS]
    return tuple(sorted({*names, *map(_family, names)}))


def find_format(value: object, named: str | None) -> Format:
    """Find the format of parsed JSON.

    Args:
      value: camelCase and without nulls.
      named: a source format, which then counts even where the value is not recognised as such;
        or a family, one of whose formats the value must then be; None when nobody named it.

    Raises:
      UnreadableAnswer: if the value is of no known format, or not of the named one.
    """
    for input_format in FORMATS:
        if named == input_format.name:
            if not _fits(value, input_format):
                raise UnreadableAnswer(f"The message does not fit its named format {named}.")
            return input_format
    for input_format in FORMATS:
        if named in (None, _family(input_format.name)) and input_format.recognises(value):
            return input_format
    if named is None:
        raise UnreadableAnswer("The message is not recognised as any input format.")
    if named not in format_names():
        raise UnreadableAnswer(
            f"The named format is unknown; known ones are {', '.join(format_names())}."
        )
    raise UnreadableAnswer(f"The message is not recognised as any format of {named}.")


def _family(name: str) -> str:
    return name.partition(".")[0]


def _fits(value: object, input_format: Format) -> bool:
    objects = value if isinstance(value, list) else [value]
    return isinstance(value, input_format.shape) and any(
        isinstance(item, dict) and not input_format.members.isdisjoint(item) for item in objects
    )
