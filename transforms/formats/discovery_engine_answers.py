"""discoveryengine.answer and .answer_query: an answer resource, and the response of answerQuery.

discoveryengine.answer includes an answer that a publisher wrapped as {"query", "answer"}.
"""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeVar

from schemas.answer import Answer, Citation, GroundingSupport
from schemas.verdict import Tag
from schemas.wire import discovery_engine as wire
from schemas.wire import enums
from schemas.wire.wire_type import read_wire, wire_fields
from transforms.formats import field_values
from transforms.formats.fact_collection import FactCollection, render_struct
from transforms.formats.format import Format, Reading, Request
from transforms.rules.spans import is_valid_span

Span = TypeVar("Span", bound=wire.WireCitation)

_HTML_TAG = re.compile(r"<[^<>]*>")
_ADVERSARIAL = {"ADVERSARIAL_QUERY", "JAIL_BREAKING_QUERY"}
_UNFINISHED = {"IN_PROGRESS", "STREAMING"}
_ANSWER_ONLY_FIELDS = frozenset(
    {
        *("answerText", "answerSkippedReasons", "citations", "groundingScore"),
        *("groundingSupports", "queryUnderstandingInfo", "references"),
    }
)


def is_answer(value: object) -> bool:
    """Return whether a JSON value is an answer resource, by fields that no other format has."""
    if not isinstance(value, dict):
        return False
    name, state = value.get("name"), value.get("state")
    return (
        not _ANSWER_ONLY_FIELDS.isdisjoint(value)
        or (isinstance(name, str) and "/answers/" in name)
        or (isinstance(state, str | int) and state_name(state) in enums.ANSWER_STATES)
    )


def state_name(state: int | str) -> str | None:
    """Return the name of an answer's state; None if it is absent or unspecified."""
    return enums.enum_name(state, enums.ANSWER_STATES)


def is_unfinished(state: int | str) -> bool:
    """Return whether the state is that of an answer that is still being generated."""
    return state_name(state) in _UNFINISHED


def read_response(
    response: wire.AnswerQueryResponse, request: Request, source_format: str
) -> Reading:
    """Read an answer with its session, its token and the query beside it."""
    answer, session = response.answer, response.session
    facts = FactCollection()
    references = [_add_reference(reference, facts) for reference in answer.references]
    if request.facts_from_steps:
        _add_search_results(answer.steps, facts)
    text = answer.answer_text.encode() if answer.citations or answer.grounding_supports else b""
    citations = [
        Citation(start=span.start_index, end=span.end_index, facts=_cited(span, references))
        for span in _fitting(answer.citations, text)
    ]
    supports = [
        GroundingSupport(
            start=span.start_index,
            end=span.end_index,
            score=field_values.proportion(span.grounding_score),
            grounding_check_required=span.grounding_check_required,
            facts=_cited(span, references),
        )
        for span in _fitting(answer.grounding_supports, text)
    ]
    given = len(answer.citations) + len(answer.grounding_supports)
    event_time_us, are_times_good = field_values.first_time(
        answer.complete_time, answer.create_time
    )
    read = Answer(
        message=request.message,
        record_id="",
        answer_name=answer.name or None,
        source_format=source_format,
        engine=field_values.engine_id(answer.name, session.name),
        session=field_values.session_id(answer.name, session.name),
        event_time_us=event_time_us,
        query=_query(response),
        answer_text=answer.answer_text,
        state=state_name(answer.state),
        skip_reasons=_names(answer.answer_skipped_reasons, enums.ANSWER_SKIPPED_REASONS),
        safety_ratings=field_values.read_ratings(
            answer.safety_ratings, enums.DISCOVERY_ENGINE_HARM_CATEGORIES
        ),
        facts=facts.all(),
        citations=tuple(citations),
        supports=tuple(supports),
        generator_grounding_score=field_values.proportion(answer.grounding_score),
        tags=field_values.true_tags(
            {
                Tag.ADVERSARIAL_QUERY: _is_adversarial(answer.query_understanding_info),
                Tag.BAD_OFFSETS: len(citations) + len(supports) < given,
                Tag.BAD_TIMESTAMP: not are_times_good,
            }
        ),
    )
    return read, response.answer_query_token


def _add_reference(reference: wire.Reference, facts: FactCollection) -> tuple[int, ...]:
    """Add the text of a reference to the facts, and return the indices of its facts.

    There are several for a document of several passages, and none without text.
    """
    if (chunk := reference.chunk_info) is not None:
        metadata = chunk.document_metadata
        return _add(facts, chunk.content, metadata, metadata.page_identifier)
    if (document := reference.unstructured_document_info) is not None:
        added = [
            _add(facts, passage.content, document, passage.page_identifier)
            for passage in document.chunk_contents
        ]
        return tuple(dict.fromkeys(chain.from_iterable(added)))
    if (record := reference.structured_document_info) is not None:
        return _add(facts, render_struct(record.struct_data), record)
    return ()


def _add(
    facts: FactCollection, text: str, origin: wire.Document, page: str = ""
) -> tuple[int, ...]:
    return facts.add(text, uri=origin.uri, title=origin.title, document=origin.document, page=page)


def _add_search_results(steps: Sequence[wire.Step | None], facts: FactCollection) -> None:
    """Add the chunks that the searches found, or the snippets of a result without chunks."""
    for action in _actions(steps):
        for result in filter(None, action.observation.search_results):
            chunks = [chunk.content for chunk in result.chunk_info if chunk and chunk.content]
            snippets = (
                html.unescape(_HTML_TAG.sub("", snippet.snippet))
                for snippet in filter(None, result.snippet_info)
                if snippet.snippet_status in ("", "SUCCESS")
            )
            for text in chunks or snippets:
                _add(facts, text, result)


def _actions(steps: Sequence[wire.Step | None]) -> Iterator[wire.Action]:
    for step in filter(None, steps):
        yield from filter(None, step.actions)


def _fitting(spans: Sequence[Span | None], text: bytes) -> Iterator[Span]:
    for span in filter(None, spans):
        if is_valid_span(text, span.start_index, span.end_index):
            yield span


def _cited(span: wire.WireCitation, references: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Return the facts of the cited references; a source may name none that exists."""
    cited: dict[int, None] = {}
    for source in filter(None, span.sources):
        digits = str(source.reference_id)
        if digits.isascii() and digits.isdecimal():
            digits = digits.lstrip("0") or "0"
            if len(digits) <= len(str(len(references))) and int(digits) < len(references):
                cited.update(dict.fromkeys(references[int(digits)]))
    return tuple(cited)


def _names(values: Sequence[int | str], names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(filter(None, (enums.enum_name(value, names) for value in values)))


def _is_adversarial(info: wire.QueryUnderstandingInfo) -> bool:
    positive = [found.type_ for found in info.query_classification_info if found and found.positive]
    return not _ADVERSARIAL.isdisjoint(_names(positive, enums.QUERY_CLASSIFICATION_TYPES))


def _query(response: wire.AnswerQueryResponse) -> str | None:
    """Return the publisher's query, else the session's, else that of the first search.

    The session's is its last question that does not belong to another answer. That of a search may
    differ from the user's words.
    """
    name, given = response.answer.name, response.query
    turns = (
        turn.query.text
        for turn in reversed(response.session.turns)
        if turn and (turn.answer in (name, "") or not name.strip())
    )
    searches = (action.search_action.query for action in _actions(response.answer.steps))
    query = given if isinstance(given, str) else given.text
    return next(filter(None, chain((query,), turns, searches)), None)


def _is_wrapped(fields: Mapping[str, object]) -> bool:
    return isinstance(fields.get("answer"), dict)


def _is_answer_message(fields: dict[str, object]) -> bool:
    if not _is_wrapped(fields):
        return is_answer(fields)
    is_response = "answerQueryToken" in fields or "session" in fields
    return "query" in fields and is_answer(fields["answer"]) and not is_response


def _is_response_message(fields: dict[str, object]) -> bool:
    return _is_wrapped(fields) and (is_answer(fields["answer"]) or "answerQueryToken" in fields)


def _read_answer(request: Request) -> Reading:
    if isinstance(request.value, dict) and _is_wrapped(request.value):
        response = read_wire(request.value, wire.AnswerQueryResponse)
    else:
        response = wire.AnswerQueryResponse(answer=read_wire(request.value, wire.WireAnswer))
    return read_response(response, request, ANSWER.name)


def _read_answer_query(request: Request) -> Reading:
    response = read_wire(request.value, wire.AnswerQueryResponse)
    return read_response(response, request, ANSWER_QUERY.name)


ANSWER = Format(
    name="discoveryengine.answer",
    fields=frozenset(wire_fields(wire.WireAnswer)) | {"answer"},
    wire_of=lambda fields: wire.AnswerQueryResponse if _is_wrapped(fields) else wire.WireAnswer,
    detects=_is_answer_message,
    read=_read_answer,
    can_be_chunk=True,
)

ANSWER_QUERY = Format(
    name="discoveryengine.answer_query",
    fields=frozenset({"answer"}),
    wire_of=lambda _: wire.AnswerQueryResponse,
    detects=_is_response_message,
    read=_read_answer_query,
    can_be_chunk=True,
)
