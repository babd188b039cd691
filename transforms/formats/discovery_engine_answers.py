"""discoveryengine.answer, .answer_query and .stream_answer.

They are an answer resource, which a publisher may have wrapped as {"query", "answer"}, the response
of answerQuery, and the array that streamAnswer returns over REST.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypeVar

from msgspec.structs import replace

from groundwatch.schemas.answer import Answer, Citation, GroundingSupport
from groundwatch.schemas.verdict import Tag
from groundwatch.schemas.wire import discovery_engine as wire
from groundwatch.schemas.wire import enums
from groundwatch.schemas.wire.wire_type import Wire, read_wire, wire_fields, words
from groundwatch.transforms.rules.spans import is_valid_span
from . import field_values
from .fact_collection import FactCollection, render_value
from .format import Format, Reading, Request

_Span = TypeVar("_Span", bound=wire.WireCitation)

_NO_ANSWER = wire.WireAnswer()
_NO_SESSION = wire.Session()
_ADVERSARIAL = {"ADVERSARIAL_QUERY", "JAIL_BREAKING_QUERY"}
_UNFINISHED = {"IN_PROGRESS", "STREAMING"}
_ANSWER_ONLY_FIELDS = frozenset(
    words("""
        answerText answerSkippedReasons citations groundingScore groundingSupports
        queryUnderstandingInfo references
    """)
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


def read_response(response: wire.AnswerQueryResponse, request: Request) -> Reading:
    """Read an answer with its session, its token and the query beside it."""
    answer, session = response.answer, response.session
    facts = FactCollection()
    facts_by_id = {
        str(index): _add_reference(reference, facts)
        for index, reference in enumerate(answer.references)
    }
    text = answer.answer_text.encode() if answer.citations or answer.grounding_supports else b""
    citations = [
        Citation(start=span.start_index, end=span.end_index, facts=_cited(span, facts_by_id))
        for span in _fitting(answer.citations, text)
    ]
    supports = [
        GroundingSupport(
            start=span.start_index,
            end=span.end_index,
            score=field_values.proportion(span.grounding_score),
            grounding_check_required=span.grounding_check_required,
            facts=_cited(span, facts_by_id),
        )
        for span in _fitting(answer.grounding_supports, text)
    ]
    found_classes = answer.query_understanding_info.query_classification_info
    positive = [found.type_ for found in found_classes if found and found.positive]
    classes = names_of(positive, enums.QUERY_CLASSIFICATION_TYPES)
    given = len(answer.citations) + len(answer.grounding_supports)
    event_time_us, time_tags = field_values.first_time(answer.complete_time, answer.create_time)
    read = Answer(
        message=request.message,
        answer_name=answer.name or None,
        engine=field_values.engine_id(answer.name, session.name),
        session=field_values.session_id(answer.name, session.name),
        event_time_us=event_time_us,
        query=_query(response),
        answer_text=answer.answer_text,
        state=state_name(answer.state),
        skip_reasons=names_of(answer.answer_skipped_reasons, enums.ANSWER_SKIPPED_REASONS),
        safety_ratings=field_values.read_ratings(
            answer.safety_ratings, enums.DISCOVERY_ENGINE_HARM_CATEGORIES
        ),
        facts=facts.all(),
        citations=tuple(citations),
        supports=tuple(supports),
        generator_grounding_score=field_values.proportion(answer.grounding_score),
        tags=field_values.true_tags(
            {
                Tag.ADVERSARIAL_QUERY: not _ADVERSARIAL.isdisjoint(classes),
                Tag.BAD_OFFSETS: len(citations) + len(supports) < given,
            }
        )
        + time_tags,
    )
    return read, response.answer_query_token


def _add_reference(reference: wire.Reference, facts: FactCollection) -> tuple[int, ...]:
    """Add the text of a reference to the facts, and return the indices of its facts.

    There are several for a document of several passages, and none without text.
    """
    added = []
    if (chunk := reference.chunk_info) is not None:
        metadata = chunk.document_metadata
        added.append(_add(facts, chunk.content, metadata, metadata.page_identifier))
    if (document := reference.unstructured_document_info) is not None:
        added += [
            _add(facts, passage.content, document, passage.page_identifier)
            for passage in document.chunk_contents
        ]
    if (record := reference.structured_document_info) is not None:
        added.append(_add(facts, render_value(record.struct_data), record))
    return tuple(dict.fromkeys(chain.from_iterable(added)))


def _add(
    facts: FactCollection, text: str, origin: wire.Document, page: str = ""
) -> tuple[int, ...]:
    return facts.add(text, uri=origin.uri, title=origin.title, document=origin.document, page=page)


def _fitting(spans: Sequence[_Span | None], text: bytes) -> Iterator[_Span]:
    return (
        span for span in spans if span and is_valid_span(text, span.start_index, span.end_index)
    )


def _cited(span: wire.WireCitation, facts_by_id: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    """Return the facts of the cited references; a source may name none that exists."""
    ids = (str(source.reference_id) for source in span.sources if source)
    # A text of zeros is the id 0.
    cited = (facts_by_id.get(digits.lstrip("0") or digits[:1], ()) for digits in ids)
    return tuple(dict.fromkeys(chain.from_iterable(cited)))


def support_at(
    start: int, end: int, references: Iterable[int | None], score: float | None
) -> wire.WireSupport:
    """Make the support of a span by references, as another method writes it."""
    ids = (wire.CitationSource(reference_id=each) for each in references if each is not None)
    return wire.WireSupport(
        start_index=start, end_index=end, sources=tuple(ids), grounding_score=score
    )


def names_of(values: Sequence[int | str], names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of an enum's values, without those that are unspecified."""
    return tuple(filter(None, (enums.enum_name(value, names) for value in values)))


def _query(response: wire.AnswerQueryResponse) -> str | None:
    """Return the publisher's query, else the session's last for this answer, else a search's."""
    name, given = response.answer.name, response.query
    turns = (
        turn.query.text
        for turn in reversed(response.session.turns)
        if turn and (turn.answer in (name, "") or not name.strip())
    )
    actions = (action for step in response.answer.steps if step for action in step.actions)
    searches = (action.search_action.query for action in actions if action)
    query = given if isinstance(given, str) else given.text
    return next(filter(None, chain((query,), turns, searches)), None)


def _is_wrapped(fields: Mapping[str, object]) -> bool:
    return isinstance(fields.get("answer"), dict)


def _is_answer_message(fields: dict[str, object]) -> bool:
    if not _is_wrapped(fields):
        return is_answer(fields)
    is_response = "answerQueryToken" in fields or "session" in fields
    return "query" in fields and is_answer(fields["answer"]) and not is_response


def _is_element(chunk: Mapping[str, object]) -> bool:
    has_error = isinstance(chunk.get("error"), dict)
    return has_error or is_answer(chunk) or is_answer(chunk.get("answer"))


def _wire_of_element(element: Mapping[str, object]) -> type[Wire]:
    is_bare = not _is_wrapped(element) and is_answer(element)
    return wire.WireAnswer if is_bare else wire.StreamElement


def _read_answer(request: Request) -> Reading:
    if isinstance(request.value, dict) and _is_wrapped(request.value):
        response = read_wire(request.value, wire.AnswerQueryResponse)
    else:
        response = wire.AnswerQueryResponse(answer=read_wire(request.value, wire.WireAnswer))
    return read_response(response, request)


def _read_stream(request: Request) -> Reading:
    given: Any = request.value
    elements = [
        wire.StreamElement(answer=read_wire(element, wire.WireAnswer))
        if isinstance(element, dict) and _wire_of_element(element) is wire.WireAnswer
        else read_wire(element, wire.StreamElement)
        for element in given
    ]
    return read_chunks(elements, request)


def read_chunks(elements: Sequence[wire.StreamElement], request: Request) -> Reading:
    """Read the answer of a stream: the last full one, else its parts joined.

    A full one without references has those of its parts.
    """
    answers = [element.answer for element in elements]
    chosen = _last_full(answers)
    full = _join_deltas(answers) if chosen is None else answers[chosen]
    if not full.references:
        full = replace(full, references=_references(answers))
    sessions = [element.session for element in elements if element.session != _NO_SESSION]
    tokens = [token for element in elements if (token := element.answer_query_token).strip()]
    response = wire.AnswerQueryResponse(
        answer=full,
        session=sessions[-1] if sessions else _NO_SESSION,
        answer_query_token=tokens[-1] if tokens else "",
        query=next((element.query for element in elements if element.query), ""),
    )
    read, token = read_response(response, request)
    return _with_error(read, elements[chosen or 0 :], is_full=chosen is not None), token


def _last_full(answers: Sequence[wire.WireAnswer]) -> int | None:
    """Return the index of the last finished answer that has not failed, else of the last failed."""
    full = [
        index
        for index, answer in enumerate(answers)
        if answer != _NO_ANSWER and not is_unfinished(answer.state)
    ]
    good = [index for index in full if state_name(answers[index].state) != "FAILED"]
    return max(good or full, default=None)


def _join_deltas(answers: Sequence[wire.WireAnswer]) -> wire.WireAnswer:
    """Join the deltas of an answer that has no finished element."""
    deltas = [answer for answer in answers if answer != _NO_ANSWER]
    if not deltas:
        return _NO_ANSWER
    return replace(
        deltas[-1],
        name=next((delta.name for delta in deltas if delta.name.strip()), ""),
        answer_text="".join(delta.answer_text for delta in deltas),
        references=_references(deltas),
    )


def _references(answers: Sequence[wire.WireAnswer]) -> tuple[wire.Reference, ...]:
    return tuple(reference for answer in answers for reference in answer.references)


def _with_error(answer: Answer, elements: Sequence[wire.StreamElement], *, is_full: bool) -> Answer:
    """Tag an error after the answer; the answer has failed if it ends with one and is not full."""
    if not any(element.error for element in elements):
        return answer
    answer = replace(answer, tags=(*answer.tags, Tag.STREAM_ERROR))
    last = [element for element in elements if element.error or element.answer != _NO_ANSWER][-1]
    if last.error and not is_full:
        return replace(answer, state="FAILED", error_status=last.error.name)
    return answer


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
    detects=lambda fields: (
        _is_wrapped(fields) and (is_answer(fields["answer"]) or "answerQueryToken" in fields)
    ),
    read=lambda request: read_response(read_wire(request.value, wire.AnswerQueryResponse), request),
    can_be_chunk=True,
)

STREAM_ANSWER = Format(
    name="discoveryengine.stream_answer",
    fields=ANSWER.fields | {"error"},
    wire_of=_wire_of_element,
    detects=_is_element,
    read=_read_stream,
    is_array=True,
)
