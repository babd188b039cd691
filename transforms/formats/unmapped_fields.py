"""Reject a message whose text or facts may be in fields that its format does not know."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import chain, product

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.message import UnmappedFields, UnreadableAnswer
from groundwatch.schemas.wire.json_input import (
    camel_case_name,
    fields_of,
    read_camel_case,
    read_with_nulls,
)
from groundwatch.transforms.rules.routing import depends_on_content
from .field_maps.field_map import FieldMap, named_text, two_answers
from .field_maps.field_names import (
    ANSWER_RANK,
    answer_rank,
    content_by_names,
    ranked_names,
    snake_case,
)
from .field_maps.json_path import PathStep
from .format import Format, Request
from .unread_content import (
    UNKNOWN,
    Known,
    KnownByEither,
    KnownWire,
    SearchedPart,
    below,
    join_names,
    known_by_map,
    names_of_unread,
    wire_content,
)

_MAX_QUESTION_CHARACTERS = 200
_FLAGS = {"text": "answer", "facts": "facts"}
_WRONG_LENGTH = (
    " It is a list of texts, such as a row of CSV with more or fewer cells than the first line."
)

_OPEN_QUOTE = " A quote that opens in it is not closed."
_ENVELOPE = frozenset(("question", "query", "answer", "facts"))
_MAX_NAME = 40


def reject_unmapped(answer: Answer, request: Request, input_format: Format) -> None:
    """Raise UnmappedFields for an answer without text or facts that unread fields could hold."""
    has_text = answer.answer_text != "" and not answer.answer_text.isspace()
    if (has_text and answer.facts) or not depends_on_content(answer):
        return
    is_lacking = {"text": not has_text, "facts": not answer.facts}
    parts = list(_known_parts(request.as_written(), input_format))
    lacking = [
        name
        for name in _FLAGS
        if is_lacking[name] and not _says_none(name, request, input_format, parts)
    ]
    if not lacking:
        return
    if lacking == ["facts"]:
        _reject_long_prompt(request.value, input_format)
    searched = _with_own_map(parts, request, input_format, has_text=has_text)
    unread = _unread(searched, request, is_text_lacking="text" in lacking)
    field_map = input_format.field_map
    is_unnamed = field_map and any(_FLAGS[name] not in field_map.paths for name in lacking)
    if unread or is_unnamed:
        raise _lacking(lacking, unread, input_format)


def reject_other_answer(name: str, answer: Answer, request: Request, input_format: Format) -> None:
    """Raise UnmappedFields if a field named as a program's answer has another text than is read."""
    is_other = answer_rank(name) != ANSWER_RANK and name not in input_format.fields
    if is_other and isinstance(request.value, dict):
        text = named_text(name, request.value[name])
        read = " ".join(answer.answer_text.split())
        if text not in read and read not in text:
            raise two_answers(f"$.{name}", f"the answer of {answer.source_format}")


def unread_paths(answer: Answer, request: Request, input_format: Format) -> Sequence[str]:
    """Return the paths of texts that are not in the answer that was read of a message.

    The format may know other names for them than its fields have.
    """
    texts = [answer.answer_text, answer.query]
    texts += [text for fact in answer.facts for text in (fact.text, fact.title, fact.uri)]
    read = frozenset(filter(None, texts))
    parts = _known_parts(request.as_written(), input_format)
    parts = _with_own_map(parts, request, input_format, has_text=True)
    return _unread(parts, request, is_text_lacking=False, read=read)


def unknown_texts(
    reason: str, request: Request, wanted: Sequence[str] = ("answer", "facts")
) -> UnreadableAnswer:
    """Make the error of a message that lacks what is wanted, with where it has texts."""
    written = request.as_written()
    if not isinstance(written, dict):
        is_row = isinstance(written, list) and all(isinstance(cell, str) for cell in written)
        is_open = isinstance(written, list) and "".join(map(str, written[:1])).count('"') % 2
        quote = _OPEN_QUOTE if is_row and is_open else ""
        return UnreadableAnswer(reason + _WRONG_LENGTH * is_row + quote)
    names = _unread([("", written, UNKNOWN)], request, is_text_lacking=True)
    found = f" It has texts in {join_names(names)}." if names else ""
    if _lacks_answer_alone(request, names):
        return UnreadableAnswer(f"{reason}{found} Its field answer is null.")
    return UnreadableAnswer(f"{reason}{found}{_misspelt(written)}", wanted=wanted)


def _lacks_answer_alone(request: Request, names: Iterable[str]) -> bool:
    """Return whether the answer is null, and no other text could be one."""
    payload = request.message.payload
    fields = fields_of(read_with_nulls(payload)) if b"null" in payload else {}
    others = (content_by_names(snake_case(name)) for name in names)
    return fields.get("answer", "") is None and {*others} <= {"query", "facts"}


def _misspelt(names: Collection[str]) -> str:
    """Say which field of a name that says nothing is nearly one of the envelope's."""
    for name in names:
        near = get_close_matches(name.lower(), _ENVELOPE.difference(names), n=1, cutoff=0.8)
        if near and content_by_names(snake_case(name)) is None:
            return f" Did you mean {near[0]} by {name[:_MAX_NAME]}?"
    return ""


def _unread(
    parts: Iterable[SearchedPart],
    request: Request,
    *,
    is_text_lacking: bool,
    read: frozenset[str] = frozenset(),
) -> list[str]:
    """List what is unread of the parts of a message, and of what its carriers hold beside it."""
    beside = (
        below(carrier.name.replace(" ", "_"), carrier.unread(holder))
        for carrier, holder in request.carried_by
    )
    searched = chain(parts, chain.from_iterable(beside))
    names = names_of_unread(searched, is_text_lacking=is_text_lacking, read=read)
    return list(dict.fromkeys(names))


def _known_parts(value: object, input_format: Format) -> Iterator[SearchedPart]:
    """Yield the path and value of a message, or of each element, and what its format knows."""
    is_array = isinstance(value, list)
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, dict):
            known: Known
            if input_format.field_map:
                known = known_by_map(input_format.field_map)
            else:
                camel = {camel_case_name(name): field for name, field in part.items()}
                known = KnownWire(input_format.wire_of(camel))
            yield "[]" if is_array else "", part, known


def _with_own_map(
    parts: Iterable[SearchedPart], request: Request, input_format: Format, *, has_text: bool
) -> Iterator[SearchedPart]:
    """Add what the user's map reads, and where texts beside the answer are named as answers."""
    others: list[tuple[PathStep, ...]] = []
    fields, names = fields_of(request.value), ranked_names(request.value)
    if request.names_answer or len(names) > 1:
        named = [name for name in names if named_text(name, fields[name])]
        others += ((name,) for name in named)
        others += product(named, ("answer", "content", "text"))
    if input_format.field_map:
        others += (path.steps for path in input_format.field_map.other_answers)
    own_map = request.own_map or FieldMap({})
    if request.carried_by:
        own_map = own_map.beginning_at(request.value, read_camel_case(request.message.payload))
    own = known_by_map(own_map, others if has_text else ())
    for path, part, known in parts:
        yield path, part, KnownByEither(known, own)


def _says_none(
    content: str, request: Request, input_format: Format, parts: Iterable[SearchedPart]
) -> bool:
    """Return whether all places of the text or the facts are there, and empty."""
    if input_format.field_map:
        field_map = input_format.field_map
        return any(field_map.is_empty(_FLAGS[content], each) for each in request.places())
    values = [each for _, part, known in parts for each in wire_content(content, part, known)]
    return bool(values) and not any(
        each.strip() if isinstance(each, str) else each for each in values
    )


def _reject_long_prompt(value: object, input_format: Format) -> None:
    """Raise UnmappedFields if the text of a prompt is longer than a question."""
    texts, path = input_format.prompt(value)
    prompt = [text.strip() for text in texts if text]
    if sum(map(len, prompt)) > _MAX_QUESTION_CHARACTERS or any("\n" in text for text in prompt):
        raise UnmappedFields(
            "No facts found, but the text of the prompt may hold them: name the field that holds"
            f" them, such as --map 'facts={path}', or log them in a field of their own."
        )


def _lacking(lacking: Sequence[str], unread: Sequence[str], input_format: Format) -> UnmappedFields:
    wanted = [_FLAGS[name] for name in lacking]
    if field_map := input_format.field_map:
        places = " and no ".join(f"{flag}{field_map.describe(flag)}" for flag in wanted)
        reason = (
            f"The message as {input_format.name} has no {places}. Fields that are not read:"
            f" {join_names(unread) or 'none'}."
        )
        wanted += sorted({"time", "session"}.difference(field_map.paths))
    else:
        reason = (
            f"No {' and no '.join(lacking)} found in the message as {input_format.name}. The"
            f" format does not know these fields: {join_names(unread)}. Put the"
            f" {' and the '.join(lacking)} into a field that the format reads, or an empty one"
            f" where there is nothing.{_misspelt(unread)}"
        )
    return UnmappedFields(reason, wanted=wanted)
