"""discoveryengine.assist_answer and .stream_assist: answers of Gemini Enterprise's assistant.

They are an AssistAnswer, alone or in a response, and the array that streamAssist returns. All are
read as the answers of answerQuery are.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate, chain
from typing import Any

from msgspec.structs import replace

from groundwatch.schemas.wire import assistant as wire
from groundwatch.schemas.wire import discovery_engine as discovery
from groundwatch.schemas.wire import enums
from groundwatch.schemas.wire.wire_type import Wire, read_wire, wire_fields
from .discovery_engine_answers import names_of, read_chunks, read_response, support_at
from .fact_collection import first_text
from .format import Format, Reading, Request

_ASSIST_FIELDS = frozenset({"replies", "assistSkippedReasons", "customerPolicyEnforcementResult"})
_NO_ANSWER = wire.AssistAnswer()
_POLICY = "CUSTOMER_POLICY_VIOLATION"


def to_response(response: wire.AssistResponse) -> discovery.StreamElement:
    """Convert a response of the assistant to one of answerQuery."""
    return discovery.StreamElement(
        answer=_to_answer(response.answer),
        session=discovery.Session(name=response.session_info.session),
        answer_query_token=response.assist_token,
        error=response.error,
        query=response.query,
    )


def _to_answer(assist_answer: wire.AssistAnswer) -> discovery.WireAnswer:
    state = enums.enum_name(assist_answer.state, enums.ASSIST_STATES)
    reasons = _skipped_reasons(assist_answer)
    all_contents = [reply.grounded_content for reply in assist_answer.replies]
    contents = [content for content in all_contents if not content.content.thought]
    texts = [first_text(content.content.text, content.text) for content in contents]
    metadata = [content.text_grounding_metadata for content in contents]
    executed = [
        discovery.Chunk(content=each.content.code_execution_result.output) for each in contents
    ]
    references = [each.references for each in metadata]
    starts = accumulate((len(text.encode()) for text in texts), initial=0)
    firsts = accumulate((len(each.references) for each in metadata), initial=0)
    supports = [
        support_at(
            (start if text else 0) + segment.start_index,
            (start if text else 0) + segment.end_index,
            [first + index for index in segment.reference_indices if index is not None],
            segment.grounding_score,
        )
        for text, each, start, first in zip(texts, metadata, starts, firsts, strict=False)
        for segment in each.segments
        if segment
    ]
    return discovery.WireAnswer(
        name=assist_answer.name,
        # A reason says more than that the answer was skipped.
        state="" if state == "SKIPPED" and reasons else state or "",
        answer_text="".join(texts),
        references=tuple(
            discovery.Reference(chunk_info=reference)
            for reference in (*map(_with_code, chain.from_iterable(references)), *executed)
        ),
        citations=tuple(supports),
        grounding_supports=tuple(each for each in supports if each.grounding_score is not None),
        answer_skipped_reasons=reasons,
    )


def _with_code(reference: wire.AssistReference) -> discovery.Chunk:
    code = reference.code_snippet
    return replace(reference, content=code) if code and not reference.content.strip() else reference


def _skipped_reasons(assist_answer: wire.AssistAnswer) -> tuple[str, ...]:
    given = assist_answer.assist_skipped_reasons or assist_answer.skipped_reasons
    reasons = [*names_of(given, enums.ASSIST_SKIPPED_REASONS)]
    verdict = assist_answer.customer_policy_enforcement_result.verdict
    if enums.enum_name(verdict, enums.POLICY_VERDICTS) == "BLOCK":
        reasons.append(_POLICY)
    return tuple(dict.fromkeys(reasons))


def is_assist_answer(value: object) -> bool:
    """Return whether a JSON value is an answer of the assistant."""
    if not isinstance(value, dict):
        return False
    name = value.get("name")
    return not _ASSIST_FIELDS.isdisjoint(value) or (
        isinstance(name, str) and "/assistAnswers/" in name
    )


def _is_assist(fields: Mapping[str, object]) -> bool:
    """Return whether an object is an answer, or a response with one."""
    answer = fields.get("answer")
    has_answer = is_assist_answer(answer) or (isinstance(answer, dict) and "assistToken" in fields)
    return has_answer or is_assist_answer(fields)


def _wire_of(fields: Mapping[str, object]) -> type[Wire]:
    is_bare = is_assist_answer(fields) or ("state" in fields and "answer" not in fields)
    return wire.AssistAnswer if is_bare else wire.AssistResponse


def _response_of(fields: Any) -> wire.AssistResponse:
    if isinstance(fields, dict) and _wire_of(fields) is wire.AssistAnswer:
        return wire.AssistResponse(answer=read_wire(fields, wire.AssistAnswer))
    return read_wire(fields, wire.AssistResponse)


def _read_stream(request: Request) -> Reading:
    elements: Any = request.value
    responses = join_responses(list(map(_response_of, elements)))
    return read_chunks(list(map(to_response, responses)), request)


def join_responses(responses: Sequence[wire.AssistResponse]) -> Sequence[wire.AssistResponse]:
    """Give the last answer the replies of all, unless it repeats them; remove the others.

    The service may end a stream with the whole answer or with its last part.
    """
    numbers = [number for number, each in enumerate(responses) if each.answer != _NO_ANSWER]
    answers = [responses[number].answer for number in numbers]
    if not answers:
        return responses
    *earlier, final = (_to_answer(answer).answer_text for answer in answers)
    is_whole = final.startswith("".join(earlier)) or all(map(final.startswith, earlier))
    *earlier_replies, final_replies = (answer.replies for answer in answers)
    before = list(chain.from_iterable(earlier_replies))
    last = replace(
        answers[-1],
        name=next((answer.name for answer in reversed(answers) if answer.name.strip()), ""),
        replies=(
            (*final_replies, *map(_sources_of, before)) if is_whole else (*before, *final_replies)
        ),
    )
    return [
        replace(each, answer=last if number == numbers[-1] else _NO_ANSWER)
        for number, each in enumerate(responses)
    ]


def _sources_of(reply: wire.AssistReply) -> wire.AssistReply:
    """Return a reply without its text and spans: with what it adds to the references."""
    references = reply.grounded_content.text_grounding_metadata.references
    metadata = wire.TextGroundingMetadata(references=references)
    return wire.AssistReply(grounded_content=wire.GroundedContent(text_grounding_metadata=metadata))


ASSIST_ANSWER = Format(
    name="discoveryengine.assist_answer",
    fields=frozenset(wire_fields(wire.AssistAnswer)) | {"answer"},
    wire_of=_wire_of,
    detects=_is_assist,
    read=lambda request: read_response(to_response(_response_of(request.value)), request),
    can_be_chunk=True,
)

STREAM_ASSIST = Format(
    name="discoveryengine.stream_assist",
    fields=ASSIST_ANSWER.fields | {"error"},
    wire_of=_wire_of,
    detects=_is_assist,
    read=_read_stream,
    is_array=True,
)
