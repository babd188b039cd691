"""discoveryengine.answer and .answer_query: an answer resource, and the response of answerQuery.

discoveryengine.answer includes an answer that a publisher wrapped as {"query", "answer"}.
"""

from collections.abc import Mapping

from schemas.answer import Answer
from schemas.verdict import Tag
from schemas.wire import discovery_engine as wire
from schemas.wire import enums
from schemas.wire.wire_type import read_wire, wire_fields
from transforms.formats.discovery_engine_sources import (
    add_reference,
    add_search_results,
    first_search,
    read_citations,
    read_supports,
)
from transforms.formats.fact_collection import FactCollection
from transforms.formats.field_values import (
    engine_id,
    first_time,
    proportion,
    read_ratings,
    session_id,
    true_tags,
)
from transforms.formats.format import Format, Identity, Reading, Request

_ADVERSARIAL = {"ADVERSARIAL_QUERY", "JAIL_BREAKING_QUERY"}
_UNFINISHED = {"IN_PROGRESS", "STREAMING"}
_ANSWER_ONLY_FIELDS = frozenset(
    {
        "answerText",
        "answerSkippedReasons",
        "citations",
        "groundingScore",
        "groundingSupports",
        "queryUnderstandingInfo",
        "references",
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
    references = tuple(add_reference(reference, facts) for reference in answer.references)
    if request.facts_from_steps:
        add_search_results(answer.steps, facts)
    text = answer.answer_text.encode() if answer.citations or answer.grounding_supports else b""
    citations = read_citations(answer.citations, text, references)
    supports = read_supports(answer.grounding_supports, text, references)
    given = len(answer.citations) + len(answer.grounding_supports)
    event_time_us, are_times_good = first_time(answer.complete_time, answer.create_time)
    token = response.answer_query_token
    return Reading(
        identity=Identity(kind="answer query token", value=token) if token else None,
        answer=Answer(
            message=request.message,
            record_id="",
            answer_name=answer.name or None,
            source_format=source_format,
            engine=engine_id(answer.name, session.name),
            session=session_id(answer.name, session.name),
            event_time_us=event_time_us,
            query=_query(response),
            answer_text=answer.answer_text,
            state=state_name(answer.state),
            skip_reasons=_skip_reasons(answer),
            safety_ratings=read_ratings(
                answer.safety_ratings, enums.DISCOVERY_ENGINE_HARM_CATEGORIES
            ),
            facts=facts.all(),
            citations=citations,
            supports=supports,
            generator_grounding_score=proportion(answer.grounding_score),
            tags=true_tags(
                {
                    Tag.ADVERSARIAL_QUERY: _is_adversarial(answer.query_understanding_info),
                    Tag.BAD_OFFSETS: len(citations) + len(supports) < given,
                    Tag.BAD_TIMESTAMP: not are_times_good,
                }
            ),
        ),
    )


def _skip_reasons(answer: wire.WireAnswer) -> tuple[str, ...]:
    names = (
        enums.enum_name(reason, enums.ANSWER_SKIPPED_REASONS)
        for reason in answer.answer_skipped_reasons
    )
    return tuple(filter(None, names))


def _is_adversarial(info: wire.QueryUnderstandingInfo) -> bool:
    return any(
        found.positive
        and enums.enum_name(found.type_, enums.QUERY_CLASSIFICATION_TYPES) in _ADVERSARIAL
        for found in filter(None, info.query_classification_info)
    )


def _query(response: wire.AnswerQueryResponse) -> str | None:
    """Return the publisher's query, else the session's, else that of the first search."""
    given = response.query if isinstance(response.query, str) else response.query.text
    return given or _session_query(response) or first_search(response.answer.steps)


def _session_query(response: wire.AnswerQueryResponse) -> str | None:
    """Return the last question of the session that does not belong to another answer."""
    own_names = {response.answer.name, ""}
    questions = (
        turn.query.text
        for turn in reversed(response.session.turns)
        if turn
        and turn.query.text
        and (turn.answer in own_names or not response.answer.name.strip())
    )
    return next(questions, None)


def _is_wrapped(fields: Mapping[str, object]) -> bool:
    return isinstance(fields.get("answer"), dict)


def _is_answer_message(fields: dict[str, object]) -> bool:
    if not _is_wrapped(fields):
        return is_answer(fields)
    is_response = "answerQueryToken" in fields or "session" in fields
    return "query" in fields and is_answer(fields["answer"]) and not is_response


def _read_answer(request: Request) -> Reading:
    if isinstance(request.value, dict) and _is_wrapped(request.value):
        response = read_wire(request.value, wire.AnswerQueryResponse)
    else:
        response = wire.AnswerQueryResponse(answer=read_wire(request.value, wire.WireAnswer))
    return read_response(response, request, ANSWER.name)


def _is_response_message(fields: dict[str, object]) -> bool:
    return _is_wrapped(fields) and (is_answer(fields["answer"]) or "answerQueryToken" in fields)


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
