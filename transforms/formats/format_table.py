"""List the input formats and detect which of them a message is in."""

from schemas.message import UnreadableAnswer
from schemas.wire.wire_type import reject_repeated
from transforms.formats import (
    discovery_engine_answers,
    gemini_candidates,
    groundwatch_messages,
)
from transforms.formats.format import Format

FORMATS: tuple[Format, ...] = (
    groundwatch_messages.ENRICHED,
    groundwatch_messages.ENVELOPE,
    discovery_engine_answers.STREAM_ANSWER,
    gemini_candidates.GENERATE_ANSWER,
    gemini_candidates.GENERATE_CONTENT,
    gemini_candidates.VERTEX_GENERATE_CONTENT,
    discovery_engine_answers.ANSWER,
    discovery_engine_answers.ANSWER_QUERY,
    gemini_candidates.CANDIDATE,
)
"""All input formats; the first that matches a message reads it."""

_FORMAT_BY_NAME = {known.name: known for known in FORMATS}
_FAMILIES = frozenset(known.family for known in FORMATS)


def format_names() -> tuple[str, ...]:
    """Return the names that a message's format can be given: source formats and families."""
    return tuple(sorted({*_FORMAT_BY_NAME, *_FAMILIES}))


def is_known(value: object) -> bool:
    """Return whether parsed JSON is in any input format."""
    return any(known.matches(value) for known in FORMATS)


def find_format(value: object, named: str | None) -> Format:
    """Find the format of parsed JSON, or raise UnreadableAnswer.

    A named source format is also used for values from which it cannot be detected; a named family
    restricts the detection.
    """
    if named in _FORMAT_BY_NAME:
        return _check_fit(value, _FORMAT_BY_NAME[named])
    if named is not None and named not in _FAMILIES:
        known_names = ", ".join(format_names())
        raise UnreadableAnswer(f"No input format is named {named[:40]!r}; known: {known_names}.")
    for known in FORMATS:
        if (named is None or known.family == named) and known.matches(value):
            return known
    # A repeated field may be why no format matches.
    for field in value.values() if isinstance(value, dict) else ():
        reject_repeated(field)
    raise UnreadableAnswer(f"The message is not recognised as {named or 'any'} input format.")


def _check_fit(value: object, named: Format) -> Format:
    """Return the named format if the value can be in it and is in no other."""
    objects = value if isinstance(value, list) else [value]
    has_fields = named.has_shape(value) and any(
        isinstance(item, dict) and not named.fields.isdisjoint(item) for item in objects
    )
    if named.matches(value) or (has_fields and not is_known(value)):
        return named
    raise UnreadableAnswer(f"The message does not fit its named format, {named.name}.")
