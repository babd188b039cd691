"""List the input formats and detect which of them a message is in."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.wire.wire_type import reject_repeated
from . import (
    agent_events,
    assist_answers,
    dialogflow_turns,
    discovery_engine_answers,
    discovery_engine_methods,
    gemini_candidates,
    gen_ai_messages,
    generated_content,
    groundwatch_messages,
    mapped_answers,
    user_activity,
)
from .format import Format, Request
from .unmapped_fields import unknown_texts

FORMATS: tuple[Format, ...] = (
    groundwatch_messages.ENRICHED,
    groundwatch_messages.ENVELOPE,
    *mapped_answers.FIRST_PRESETS,
    user_activity.USER_ACTIVITY,
    agent_events.AGENT_EVENTS,
    generated_content.STREAM_GENERATE_CONTENT,
    generated_content.VERTEX_STREAM_GENERATE_CONTENT,
    assist_answers.STREAM_ASSIST,
    discovery_engine_answers.STREAM_ANSWER,
    gemini_candidates.GENERATE_ANSWER,
    discovery_engine_methods.GROUNDED_CONTENT,
    generated_content.GENERATE_CONTENT,
    generated_content.VERTEX_GENERATE_CONTENT,
    assist_answers.ASSIST_ANSWER,
    discovery_engine_methods.SEARCH_SUMMARY,
    discovery_engine_methods.CONVERSATION,
    discovery_engine_methods.CHECK_REQUEST,
    dialogflow_turns.DETECT_INTENT,
    gen_ai_messages.GEN_AI,
    discovery_engine_answers.ANSWER,
    discovery_engine_answers.ANSWER_QUERY,
    gemini_candidates.CANDIDATE,
    *mapped_answers.OTHER_PRESETS,
)
"""All input formats; the first that matches a message reads it."""

_EARLIER_NAMES = {"phoenix.row": gen_ai_messages.GEN_AI.name}
"""Names that 2.0.0 had for formats, which settings and the attributes of messages may hold."""

_BY_NAME: Mapping[str, Sequence[Format]] = {
    name: tuple(known for known in FORMATS if name in (known.name, known.family))
    for name in {name for known in FORMATS for name in (known.name, known.family)}
}
_ARRAYS = tuple(known for known in FORMATS if known.is_array)
_MARKS = frozenset[str]().union(*(known.marks or known.fields for known in FORMATS))


def format_names() -> tuple[str, ...]:
    """Return the names that a message's format can be given: source formats and families."""
    return tuple(sorted({*_BY_NAME, *_EARLIER_NAMES}))


def is_known(value: object, *, as_whole: bool = False) -> bool:
    """Return whether parsed JSON is in any input format, or in one that no chunk is in."""
    formats = _possible_formats(value)
    return any(known.matches(value) for known in formats if not (as_whole and known.can_be_chunk))


def _possible_formats(value: object) -> Sequence[Format]:
    """Return the formats of which parsed JSON has some field, in the order of the table."""
    return _formats_with(_MARKS.intersection(value)) if isinstance(value, dict) else _ARRAYS


@lru_cache(maxsize=1024)  # asking all formats takes time
def _formats_with(names: frozenset[str]) -> Sequence[Format]:
    objects = (known for known in FORMATS if not known.is_array)
    return tuple(known for known in objects if not names.isdisjoint(known.marks or known.fields))


def find_format(request: Request) -> Format:
    """Find the format of a message's body, or raise UnreadableAnswer.

    A named source format is also used for bodies from which it cannot be detected; a named family
    restricts the detection.
    """
    value, named = request.value, request.named_format
    formats = _possible_formats(value)
    if named is not None:
        named = _EARLIER_NAMES.get(named, named)
        formats = _BY_NAME.get(named, ())
        if not formats:
            names = ", ".join(format_names())
            raise UnreadableAnswer(
                f"No input format is named as the message says. It says {named[:40]!r}; known:"
                f" {names}."
            )
    for known in formats:
        if known.matches(value):
            return known
    if isinstance(value, UnreadableAnswer):  # of a carrier's body
        raise value
    if named is not None and named == formats[0].name:
        if formats[0].has_fields(value) and not is_known(value):
            return formats[0]
        raise UnreadableAnswer(f"The message does not fit its named format, {named}.")
    # A repeated field may be why no format matches.
    for field in value.values() if isinstance(value, dict) else ():
        reject_repeated(field)
    raise unknown_texts(f"The message is not recognised as {named or 'any'} input format.", request)
