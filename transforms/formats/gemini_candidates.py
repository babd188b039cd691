"""gemini.candidate, .generate_answer, .generate_content and vertex.generate_content.

The Gemini API and Vertex AI write candidates of the same shape and number some enums differently.
A response of generateContent that does not show its API is gemini.generate_content.
"""

from functools import partial

from msgspec.structs import replace

from schemas.answer import Answer, Citation
from schemas.verdict import Tag
from schemas.wire import enums
from schemas.wire import gemini as wire
from schemas.wire.wire_type import read_wire, wire_fields
from transforms.formats.discovery_engine_answers import is_answer
from transforms.formats.field_values import first_time, proportion, read_ratings, true_tags
from transforms.formats.format import Format, Reading, Request
from transforms.formats.gemini_grounding import (
    joined_text,
    read_facts,
    read_recitations,
    read_supports,
)

_NO_REQUEST = wire.GenerateAnswerRequest()
_NO_FEEDBACK = wire.Feedback()

_GENERATE_ANSWER_FIELDS = frozenset({"answerableProbability", "inputFeedback"})
_GENERATE_ANSWER_REQUEST_FIELDS = frozenset({"answerStyle", "inlinePassages", "semanticRetriever"})

_GEMINI_FIELDS = frozenset({"groundingAttributions", "tokenCount"})
_VERTEX_RATING_FIELDS = frozenset({"probabilityScore", "severity", "severityScore"})


def _is_candidate(fields: dict[str, object]) -> bool:
    content = fields.get("content")
    return (isinstance(content, dict) and "parts" in content) or "finishReason" in fields


def _read_candidate(request: Request) -> Reading:
    candidate = read_wire(request.value, wire.Candidate)
    names = _enums_of(request.value, named_format=request.named_format)
    return Reading(answer=_answer(candidate, request, CANDIDATE.name, names=names))


def _is_generate_answer(fields: dict[str, object]) -> bool:
    response = fields.get("response")
    if not isinstance(response, dict):
        return _is_generate_answer_response(fields)
    asked = fields.get("request")
    return (
        isinstance(asked, dict) and not _GENERATE_ANSWER_REQUEST_FIELDS.isdisjoint(asked)
    ) or _is_generate_answer_response(response)


def _is_generate_answer_response(fields: dict[str, object]) -> bool:
    answer = fields.get("answer")
    if answer is not None and (not isinstance(answer, dict) or is_answer(answer)):
        return False
    return not _GENERATE_ANSWER_FIELDS.isdisjoint(fields) or _is_candidate(answer or {})


def _read_generate_answer(request: Request) -> Reading:
    if isinstance(request.value, dict) and "response" in request.value:
        exchange = read_wire(request.value, wire.GenerateAnswerExchange)
    else:
        response = read_wire(request.value, wire.GenerateAnswerResponse)
        exchange = wire.GenerateAnswerExchange(response=response)
    answer = _answer(
        exchange.response.answer,
        request,
        GENERATE_ANSWER.name,
        names=enums.GEMINI_ENUMS,
        asked=exchange.request,
        feedback=exchange.response.input_feedback,
    )
    probability = proportion(exchange.response.answerable_probability)
    return Reading(answer=replace(answer, answerable_probability=probability))


def _read_generate_content(request: Request, source_format: str) -> Reading:
    response = read_wire(request.value, wire.GenerateContentResponse)
    first = response.candidates[0] if response.candidates else wire.Candidate()
    answer = _answer(
        first,
        request,
        source_format,
        names=_enums_of_response(request),
        feedback=response.prompt_feedback,
    )
    event_time_us, is_time_good = first_time(response.create_time)
    tags = true_tags(
        {
            Tag.BAD_TIMESTAMP: not is_time_good,
            Tag.MULTIPLE_CANDIDATES: len(response.candidates) > 1,
        }
    )
    return Reading(answer=replace(answer, event_time_us=event_time_us, tags=answer.tags + tags))


def _answer(
    candidate: wire.Candidate,
    request: Request,
    source_format: str,
    *,
    names: enums.CandidateEnums,
    asked: wire.GenerateAnswerRequest = _NO_REQUEST,
    feedback: wire.Feedback = _NO_FEEDBACK,
) -> Answer:
    """Read a candidate with the request that it answers and the feedback on its prompt."""
    facts, chunks = read_facts(candidate, asked.inline_passages)
    metadata, text = candidate.grounding_metadata, joined_text(candidate.content)
    supports = read_supports(metadata.grounding_supports, candidate.content, chunks)
    recited, all_fit = read_recitations(candidate.citation_metadata, text)
    all_fit &= len(supports) == len(metadata.grounding_supports)
    return Answer(
        message=request.message,
        record_id="",
        source_format=source_format,
        query=_query(asked),
        answer_text=text,
        finish_reason=enums.enum_name(candidate.finish_reason, names.finish_reasons),
        block_reason=enums.enum_name(feedback.block_reason, names.block_reasons),
        safety_ratings=read_ratings(
            candidate.safety_ratings + feedback.safety_ratings, names.harm_categories
        ),
        facts=facts.all(),
        citations=(
            *(Citation(start=each.start, end=each.end, facts=each.facts) for each in supports),
            *recited,
        ),
        supports=supports,
        tags=true_tags({Tag.BAD_OFFSETS: not all_fit}),
    )


def _query(asked: wire.GenerateAnswerRequest) -> str | None:
    """Return the user's last text, else the query of the retriever."""
    texts = [
        joined_text(content)
        for content in filter(None, asked.contents)
        if content.role in ("", "user")
    ]
    return (
        next(filter(None, reversed(texts)), None)
        or joined_text(asked.semantic_retriever.query)
        or None
    )


def _enums_of_response(request: Request) -> enums.CandidateEnums:
    response = request.value if isinstance(request.value, dict) else {}
    candidates = response.get("candidates")
    first = candidates[0] if isinstance(candidates, list) and candidates else None
    return _enums_of(first, named_format=request.named_format, response=response)


def _enums_of(
    candidate: object, *, named_format: str | None, response: dict[str, object] | None = None
) -> enums.CandidateEnums:
    """Find the enum tables of a candidate.

    Args:
      candidate: parsed JSON.
      named_format: the format or family that was named; None if nobody named one.
      response: the response of generateContent that holds the candidate, if there is one.

    Returns:
      The tables of the API that was named, else of the only API that writes one of the fields, else
      the values that both APIs share.
    """
    family = (named_format or "").partition(".")[0]
    if family in _ENUMS_BY_FAMILY:
        return _ENUMS_BY_FAMILY[family]
    fields = candidate if isinstance(candidate, dict) else {}
    citations = fields.get("citationMetadata")
    if not _GEMINI_FIELDS.isdisjoint(fields) or _has(citations, "citationSources"):
        return enums.GEMINI_ENUMS
    response = response or {}
    feedback = response.get("promptFeedback")
    if (
        "createTime" in response
        or _has(citations, "citations")
        or _has_vertex_ratings(fields)
        or (isinstance(feedback, dict) and _has_vertex_ratings(feedback))
    ):
        return enums.VERTEX_ENUMS
    return enums.SHARED_ENUMS


def _has(value: object, field: str) -> bool:
    return isinstance(value, dict) and field in value


def _has_vertex_ratings(fields: dict[str, object]) -> bool:
    ratings = fields.get("safetyRatings")
    return isinstance(ratings, list) and any(
        isinstance(rating, dict) and not _VERTEX_RATING_FIELDS.isdisjoint(rating)
        for rating in ratings
    )


def _generate_content(name: str) -> Format:
    return Format(
        name=name,
        fields=frozenset({"candidates", "promptFeedback"}),
        wire_of=lambda _: wire.GenerateContentResponse,
        detects=lambda fields: "candidates" in fields or "promptFeedback" in fields,
        read=partial(_read_generate_content, source_format=name),
        can_be_chunk=True,
    )


CANDIDATE = Format(
    name="gemini.candidate",
    fields=frozenset(wire_fields(wire.Candidate)),
    wire_of=lambda _: wire.Candidate,
    detects=_is_candidate,
    read=_read_candidate,
    can_be_chunk=True,
)

GENERATE_ANSWER = Format(
    name="gemini.generate_answer",
    fields=frozenset(wire_fields(wire.GenerateAnswerResponse)) | {"response"},
    wire_of=lambda fields: (
        wire.GenerateAnswerExchange if "response" in fields else wire.GenerateAnswerResponse
    ),
    detects=_is_generate_answer,
    read=_read_generate_answer,
)

GENERATE_CONTENT = _generate_content("gemini.generate_content")
VERTEX_GENERATE_CONTENT = _generate_content("vertex.generate_content")

_ENUMS_BY_FAMILY = {
    GENERATE_CONTENT.family: enums.GEMINI_ENUMS,
    VERTEX_GENERATE_CONTENT.family: enums.VERTEX_ENUMS,
}
