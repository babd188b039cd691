"""Which input format a message is in."""

from schemas.message import UnreadableAnswer
from schemas.wire.wire_type import refuse_repeated
from transforms.formats import (
    answer_query,
    answer_resource,
    candidate,
    enriched,
    envelope,
    generate_answer,
    generate_content,
    stream_answer,
)
from transforms.formats.reading import Format

FORMATS: tuple[Format, ...] = (
    enriched.FORMAT,
    envelope.FORMAT,
    stream_answer.FORMAT,
    generate_answer.FORMAT,
    generate_content.FORMAT,
    generate_content.VERTEX_FORMAT,
    answer_resource.FORMAT,
    answer_query.FORMAT,
    candidate.FORMAT,
)


def _family(input_format: Format) -> str:
    return input_format.name.partition(".")[0]


_FORMAT_BY_NAME = {input_format.name: input_format for input_format in FORMATS}
_FORMATS_BY_FAMILY = {
    family: tuple(input_format for input_format in FORMATS if _family(input_format) == family)
    for family in map(_family, FORMATS)
}


def format_names() -> tuple[str, ...]:
    """All that a message's format can be called: source formats and their families."""
    return tuple(sorted({*_FORMAT_BY_NAME, *_FORMATS_BY_FAMILY}))


def find_format(value: object, named: str | None) -> Format:
    """Find the format of parsed JSON.

    Args:
      value: camelCase and without nulls.
      named: a source format, which then counts even where the value is not recognised as such;
        or a family, one of whose formats the value must then be; None when nobody named it.

    Raises:
      UnreadableAnswer: if the value is of no known format, or not of the named one; a field that
        occurs twice may be why.
    """
    if named in _FORMAT_BY_NAME:
        return _fitting(value, _FORMAT_BY_NAME[named])
    for input_format in _candidates(named):
        if input_format.recognises(value):
            return input_format
    for field in value.values() if isinstance(value, dict) else ():
        refuse_repeated(field)
    raise UnreadableAnswer(f"The message is not recognised as {named or 'any'} input format.")


def _candidates(family: str | None) -> tuple[Format, ...]:
    if family is None:
        return FORMATS
    if family not in _FORMATS_BY_FAMILY:
        known = ", ".join(format_names())
        raise UnreadableAnswer(f"No input format is named {family[:40]!r}; known are {known}.")
    return _FORMATS_BY_FAMILY[family]


def _fitting(value: object, input_format: Format) -> Format:
    """The format that somebody named, if the value may be of it and is plainly of no other."""
    objects = value if isinstance(value, list) else [value]
    may_be = isinstance(value, input_format.shape) and any(
        isinstance(item, dict) and not input_format.fields.isdisjoint(item) for item in objects
    )
    if input_format.recognises(value) or (may_be and not any(f.recognises(value) for f in FORMATS)):
        return input_format
    raise UnreadableAnswer(f"The message does not fit the format it is named, {input_format.name}.")
