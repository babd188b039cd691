"""Read Discovery Engine's wire types as an answer."""

from schemas.answer import Answer
from schemas.verdict import Tag
from schemas.wire import discovery_engine as wire
from schemas.wire import enums
from transforms.formats.citing import read_citations, read_supports
from transforms.formats.facts import FactCollection
from transforms.formats.noticing import true_tags
from transforms.formats.ratings import read_ratings
from transforms.formats.reading import Identity, Reading, Request
from transforms.formats.references import add_reference
from transforms.formats.resource_names import engine_id, session_id
from transforms.formats.scores import proportion
from transforms.formats.search_steps import add_search_results, first_search
from transforms.formats.timestamps import first_time

_HARM_CATEGORIES = enums.DISCOVERY_ENGINE_HARM_CATEGORIES
_ADVERSARIAL = {"ADVERSARIAL_QUERY", "JAIL_BREAKING_QUERY"}
_OWN_FIELDS = frozenset(
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
    """Return whether a JSON value is an answer resource, by the fields that nothing else has."""
    if not isinstance(value, dict):
        return False
    name, state = value.get("name"), value.get("state")
    return (
        not _OWN_FIELDS.isdisjoint(value)
        or (isinstance(name, str) and "/answers/" in name)
        or (isinstance(state, str | int) and _is_known_state(state))
    )


def read_response(
    response: wire.AnswerQueryResponse, request: Request, source_format: str
) -> Reading:
    """Read a response of answerQuery, whatever it was wrapped in."""
    answer, session = response.answer, response.session
    facts = FactCollection()
    references = tuple(add_reference(reference, facts) for reference in answer.references)
    if request.facts_from_steps:
        add_search_results(answer.steps, facts)
    text = answer.answer_text.encode() if answer.citations or answer.grounding_supports else b""
    citations = read_citations(answer.citations, text, references)
    supports = read_supports(answer.grounding_supports, text, references)
    given = len(answer.citations) + len(answer.grounding_supports)
    offsets_good = len(citations) + len(supports) == given
    event_time_us, times_good = first_time(answer.complete_time, answer.create_time)
    return Reading(
        identity=_identity(response),
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
            state=enums.enum_name(answer.state, enums.ANSWER_STATES),
            skip_reasons=_skip_reasons(answer),
            safety_ratings=read_ratings(answer.safety_ratings, _HARM_CATEGORIES),
            facts=facts.all(),
            citations=citations,
            supports=supports,
            generator_grounding_score=proportion(answer.grounding_score),
            tags=_tags(answer, times_good=times_good, offsets_good=offsets_good),
        ),
    )


def _is_known_state(state: str | int) -> bool:
    return enums.enum_name(state, enums.ANSWER_STATES) in enums.ANSWER_STATES


def _identity(response: wire.AnswerQueryResponse) -> Identity | None:
    token = response.answer_query_token
    return Identity(kind="answer query token", value=token) if token else None


def _skip_reasons(answer: wire.Answer) -> tuple[str, ...]:
    names = (
        enums.enum_name(reason, enums.ANSWER_SKIPPED_REASONS)
        for reason in answer.answer_skipped_reasons
    )
    return tuple(filter(None, names))


def _tags(answer: wire.Answer, *, times_good: bool, offsets_good: bool) -> tuple[Tag, ...]:
    return true_tags(
        {
            Tag.ADVERSARIAL_QUERY: _is_adversarial(answer.query_understanding_info),
            Tag.BAD_OFFSETS: not offsets_good,
            Tag.BAD_TIMESTAMP: not times_good,
        }
    )


def _is_adversarial(info: wire.QueryUnderstandingInfo) -> bool:
    return any(
        found.positive
        and enums.enum_name(found.type_, enums.QUERY_CLASSIFICATION_TYPES) in _ADVERSARIAL
        for found in filter(None, info.query_classification_info)
    )


def _query(response: wire.AnswerQueryResponse) -> str | None:
    """The publisher's own word, else the session's, else the first search's."""
    given = response.query if isinstance(response.query, str) else response.query.text
    return given or _asked_in_session(response) or first_search(response.answer.steps)


def _asked_in_session(response: wire.AnswerQueryResponse) -> str | None:
    """The last question of the session that is not known to belong to another answer."""
    ours = {response.answer.name, ""}
    questions = (
        turn.query.text
        for turn in reversed(response.session.turns)
        if turn and turn.query.text and (turn.answer in ours or not response.answer.name.strip())
    )
    return next(questions, None)
