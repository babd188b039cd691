"""Parse the answers of a message, and make their record ids."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.message import (
    CARRIER_ENGINE,
    CARRIER_ID,
    CARRIER_TIME,
    REPEATABLE_ID,
    Message,
    ParseOptions,
    UnreadableAnswer,
)
from groundwatch.schemas.wire.json_input import encoded_once
from groundwatch.transforms.rules.routing import is_incomplete
from .answer_elements import split_answers
from .field_maps.field_map import FieldMap, parse_map, with_one_answer
from .field_maps.field_names import ranked_names
from .field_maps.suggestions import Sample, suggest_map
from .field_values import engine_id, first_time, session_id
from .format import Format, Request
from .format_table import find_format
from .mapped_answers import read_with_own_map
from .unmapped_fields import reject_other_answer, reject_unmapped, unknown_texts, unread_paths

# What logs, tracers and their filters write instead of a text.
_MASK = re.compile(
    r"_*\[?<?redacted>?\]?_*|[\[<](?:elided|filtered|masked|removed)[>\]]|redacted-by-litellm"
    r"|\*{3,}|\N{FULL BLOCK}{3,}",
    re.IGNORECASE,
)
_LONGEST_MASK = 20
_IDS = ("trace_id", "span_id", "response_id")
# Raise it with every change to the hashed content: all ids of that kind change.
_CONTENT_VERSION = 1


class ParseFailure(NamedTuple):
    """An answer that cannot be read: a message that holds it alone, and the error."""

    message: Message
    error: UnreadableAnswer


def parse_answers(
    message: Message,
    options: ParseOptions = ParseOptions(),  # noqa: B008 - it is frozen
) -> Iterator[Answer | ParseFailure]:
    """Parse the answers of a message: at least one, each with a message that holds it alone.

    The message attribute `format` may name the format, too.
    """
    try:
        requests = split_answers(message, options)
    except UnreadableAnswer as error:
        yield ParseFailure(message, error)
        return
    for request in requests:
        try:
            yield _read(request)[0]
        except UnreadableAnswer as error:
            yield ParseFailure(request.message, _with_map(error, request))


def unread_texts(message: Message, options: ParseOptions) -> Sequence[str]:
    """Return the paths of texts that are not read of the message of one answer.

    The answer can be read; the texts may be facts that its format, or the user's map, does not
    know.
    """
    [request] = split_answers(message, options)
    answer, found = _read(request)
    return unread_paths(answer, request, found)


def suggest_map_of(failures: Iterable[ParseFailure], options: ParseOptions) -> str:
    """Write the flags that would read most of some answers that cannot be read, or ""."""
    found = [(message, error.wanted) for message, error in failures if error.wanted]
    requests = (each for message, _ in found for each in split_answers(message, options))
    samples = [make_sample(each, _detect(each)) for each in requests]
    wanted = {each for _, fields in found for each in fields}
    return suggest_map(samples, sorted(wanted)) if samples else ""


def describe_texts(message: Message, wanted: Sequence[str], options: ParseOptions) -> str:
    """Say where a message of one answer has texts, and suggest a map of what is wanted."""
    [request] = split_answers(message, options)
    return str(_with_map(unknown_texts("", request, wanted), request)).strip()


def unfound_paths(messages: Iterable[Message], options: ParseOptions) -> Sequence[str]:
    """Return the parts of the user's map, such as `time=$.when`, that no message has a field for.

    Of facts each path must be in some message, of any other field one of its paths.
    """
    left = {
        f"{field}={' | '.join(path.text for path in part)}": part
        for field, paths in parse_map(options.own_map).paths.items()
        for part in (zip(paths) if field == "facts" else [paths])
    }
    for message in messages if left else ():
        with suppress(UnreadableAnswer):
            for request in split_answers(message, options):
                places = request.places()
                left = {
                    name: paths
                    for name, paths in left.items()
                    if not any(path.leads_to_any(place) for path in paths for place in places)
                }
        if not left:
            break
    return [*left]


def _with_map(error: UnreadableAnswer, request: Request) -> UnreadableAnswer:
    """Add the flags that would read what an answer lacks."""
    if not error.wanted or not isinstance(request.as_written(), dict):
        return error
    suggestion = suggest_map([make_sample(request, _detect(request))], error.wanted)
    return type(error)(error.reason, suggestion, error.wanted)


def make_sample(request: Request, detected: Format | UnreadableAnswer) -> Sample:
    """Make the sample of an answer; of its fields, those of a tried map replace the user's."""

    def read(tried: FieldMap) -> Answer | None:
        own_map = request.own_map.replaced_by(tried) if request.own_map else tried
        try:
            return _read_by(replace(request, own_map=own_map), detected)[0]
        except UnreadableAnswer:
            return None

    return Sample(request.as_written(), read)


def _read(request: Request) -> tuple[Answer, Format]:
    """Read an answer, by the user's own map if there is one, and return the format it is in."""
    read, token, found, named = _read_by(request, _detect(request))
    answer = _complete(read, token, found)
    reject_unmapped(answer, request, found)
    for name in named:
        reject_other_answer(name, answer, request, found)
    return answer, found


def _read_by(
    request: Request, detected: Format | UnreadableAnswer
) -> tuple[Answer, str, Format, Sequence[str]]:
    """Read an answer, and return what names it, its format, and the fields named as answers."""
    named = () if request.names_answer else ranked_names(request.value)
    if len(named) > 1:
        request = replace(request, value=with_one_answer(request.value))
    if request.own_map:
        return *read_with_own_map(request.own_map, request, detected), named
    if isinstance(detected, UnreadableAnswer):
        raise detected
    answer, token = detected.read(request)
    return answer, token, detected, named


def _detect(request: Request) -> Format | UnreadableAnswer:
    try:
        return find_format(request)
    except UnreadableAnswer as error:
        return error


def record_id(kind: str, name: str, state: Literal["", "incomplete", "failed"] = "") -> str:
    """Hash the name of an answer, with its state if it is not finished, to 64 hex digits.

    The finished answer may come later under the same name, and must have another id. Names of
    different kinds never collide.
    """
    # Only the name may hold any character, so it stands last.
    return sha256(f"{kind}\0{state}\0{name}".encode("utf-8", "surrogatepass")).hexdigest()


def _complete(answer: Answer, token: str, found: Format) -> Answer:
    """Add the format, the message's attributes, the record id and the time of the carrier."""
    if not answer.source_format:
        answer = replace(answer, source_format=found.name)
    if _is_masked(answer) and "ELIDED" not in answer.skip_reasons:
        answer = replace(answer, skip_reasons=(*answer.skip_reasons, "ELIDED"))
    if (text := encoded_once(answer.answer_text)) != answer.answer_text:
        answer = replace(answer, answer_text=text, citations=(), supports=())
    if answer.query and (query := encoded_once(answer.query)) != answer.query:
        answer = replace(answer, query=query)
    message, attributes = answer.message, answer.message.attributes
    engine = answer.engine or attributes.get("engine") or attributes.get(CARRIER_ENGINE, "")
    session = answer.session or attributes.get("session", "")
    event_time_us, carrier_us, tags = answer.event_time_us, None, answer.tags
    ids: dict[str, str | None] = {}
    if attributes:
        given_us, given_tags = first_time(attributes.get("event_time", ""))
        carrier_us, carrier_tags = first_time(attributes.get(CARRIER_TIME, ""))
        event_time_us = given_us if event_time_us is None else event_time_us
        tags = tuple(dict.fromkeys((*tags, *given_tags, *carrier_tags)))
        ids = {name: attributes.get(name) for name in _IDS if not getattr(answer, name)}
    for field in ("trace_id", "span_id"):  # OpenTelemetry's SDK prints them as numbers
        given = ids.get(field) or getattr(answer, field)
        if given and given.startswith("0x"):
            ids[field] = given.removeprefix("0x")
    name = _non_blank(answer.answer_name)
    session_found = (session_id(session) or session) if session else None
    named = _identity(
        answer, name, token, session_found, event_time_us, may_repeat=found.ids_may_repeat
    )
    if event_time_us is None:
        event_time_us = message.arrived_us if carrier_us is None else carrier_us
    return replace(
        answer,
        record_id=answer.record_id or _record_id_of(answer, *named),
        answer_name=name,
        engine=(engine_id(engine) or engine) if engine else None,
        session=session_found,
        event_time_us=event_time_us,
        tags=tags,
        **ids,
    )


def _identity(
    answer: Answer,
    name: str | None,
    token: str,
    session: str | None,
    own_time_us: int | None,
    *,
    may_repeat: bool,
) -> tuple[str, str]:
    """Return the kind of an answer's identity, and its name, token, content or place.

    The content alone, of fixed fields, identifies an answer with a time of its own, which is not
    that of its carrier or publication: else equal greetings to two users would become one answer.
    The id that a carrier gives stands for the place: it is the same in a log and in an archive. The
    content belongs to each id that may be given again, as many servers restart their numbering: of
    a response, a run, a span, and of the message of a Pub/Sub server, with its publish time.
    """
    message, attributes = answer.message, answer.message.attributes
    given = name or _non_blank(token)
    if given and not may_repeat:
        return "name" if name else "answer query token", given
    if not given and (given_by_producer := _non_blank(attributes.get("id"))):
        return "attribute", given_by_producer
    facts = [fact.text for fact in answer.facts]
    content = (answer.answer_text, answer.query or "", facts, session or "")
    if given:
        return f"name and content {_CONTENT_VERSION}", _hashed(given, *content, own_time_us)
    if own_time_us is not None:
        return f"content {_CONTENT_VERSION}", _hashed(*content, own_time_us)
    repeatable, published_us = attributes.get(REPEATABLE_ID), message.publish_time_us
    place = repeatable or attributes.get(CARRIER_ID) or message.answer_place
    is_place = published_us is None and not repeatable
    named = place if is_place else _hashed(place, *content, published_us)
    return "place" if is_place else "message", named


def _hashed(*values: object) -> str:
    return sha256(msgspec.msgpack.encode(values)).hexdigest()


def _record_id_of(answer: Answer, kind: str, name: str) -> str:
    if is_incomplete(answer):
        return record_id(kind, name, "incomplete")
    return record_id(kind, name, "failed" if answer.state == "FAILED" else "")


def _is_masked(answer: Answer) -> bool:
    """Return whether the text, or each of the facts, is a mask in place of what was there."""
    facts = answer.facts
    return _is_mask(answer.answer_text) or (
        bool(facts) and all(_is_mask(fact.text) for fact in facts)
    )


def _is_mask(text: str) -> bool:
    return len(text) < _LONGEST_MASK and _MASK.fullmatch(text.strip()) is not None


def _non_blank(text: str | None) -> str | None:
    return text if text and not text.isspace() else None
