"""List the input formats and detect which of them a message is in."""

from schemas.message import UnreadableAnswer
from schemas.wire.wire_type import reject_repeated
from transforms.field_maps.suggestions import suggest_map
from transforms.formats import (
    discovery_engine_answers,
    gemini_candidates,
    groundwatch_messages,
    mapped_answers,
)
from transforms.formats.format import Format

FORMATS: tuple[Format, ...] = (
    groundwatch_messages.ENRICHED,
    groundwatch_messages.ENVELOPE,
    *mapped_answers.FIRST_PRESETS,
    discovery_engine_answers.STREAM_ANSWER,
    gemini_candidates.GENERATE_ANSWER,
    gemini_candidates.GENERATE_CONTENT,
    gemini_candidates.VERTEX_GENERATE_CONTENT,
    discovery_engine_answers.ANSWER,
    discovery_engine_answers.ANSWER_QUERY,
    gemini_candidates.CANDIDATE,
    *mapped_answers.OTHER_PRESETS,
)
"""All input formats; the first that matches a message reads it."""


def format_names() -> tuple[str, ...]:
    """Return the names that a message's format can be given: source formats and families."""
    return tuple(sorted({name for known in FORMATS for name in (known.name, known.family)}))


def is_known(value: object) -> bool:
    """Return whether parsed JSON is in any input format."""
    return any(known.matches(value) for known in FORMATS)


def find_format(value: object, named: str | None) -> Format:
    """Find the format of parsed JSON, or raise UnreadableAnswer.

    A named source format is also used for values from which it cannot be detected; a named family
    restricts the detection.
    """
    formats = FORMATS
    if named is not None:
        formats = tuple(known for known in FORMATS if named in (known.name, known.family))
        if not formats:
            names = ", ".join(format_names())
            raise UnreadableAnswer(f"No input format is named {named[:40]!r}; known: {names}.")
    for known in formats:
        if known.matches(value):
            return known
    if named == formats[0].name:
        if formats[0].has_fields(value) and not is_known(value):
            return formats[0]
        raise UnreadableAnswer(f"The message does not fit its named format, {named}.")
    # A repeated field may be why no format matches.
    for field in value.values() if isinstance(value, dict) else ():
        reject_repeated(field)
    hint = f" {suggest_map(value)}" if isinstance(value, dict) else ""
    raise UnreadableAnswer(f"The message is not recognised as {named or 'any'} input format.{hint}")
