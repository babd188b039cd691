"""gemini.candidate and gemini.generate_answer, and what all formats with candidates share.

The Gemini API and Vertex AI write candidates of the same shape and number some enums differently.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain

from groundwatch.schemas.answer import Answer, Citation, GroundingSupport
from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.verdict import Tag
from groundwatch.schemas.wire import enums
from groundwatch.schemas.wire import gemini as wire
from groundwatch.schemas.wire.json_input import fields_of, has_any, list_in
from groundwatch.schemas.wire.wire_type import read_wire, wire_fields
from groundwatch.transforms.rules.spans import is_valid_span
from .carriers.agent_session import is_event
from .discovery_engine_answers import is_answer
from .fact_collection import FactCollection
from .field_values import proportion, read_ratings, true_tags
from .format import Format, Reading, Request
from .text_parts import join_parts, separate_parts

USER = "user"
"""The author of the events that are what the user said."""

_GENERATE_ANSWER_FIELDS = frozenset({"answerableProbability", "inputFeedback"})
_GENERATE_ANSWER_REQUEST_FIELDS = frozenset({"answerStyle", "inlinePassages", "semanticRetriever"})
_GEMINI_FIELDS = frozenset({"groundingAttributions", "tokenCount"})
_VERTEX_RATING_FIELDS = frozenset({"probabilityScore", "severity", "severityScore"})


def _is_candidate(fields: Mapping[str, object]) -> bool:
    has_parts = has_any(fields.get("content"), {"parts"})
    return has_parts or "finishReason" in fields or (is_event(fields) and "errorCode" in fields)


def _is_generate_answer(fields: dict[str, object]) -> bool:
    response, asked = fields.get("response"), fields.get("request")
    if not isinstance(response, dict):
        response = fields
    elif has_any(asked, _GENERATE_ANSWER_REQUEST_FIELDS):
        return True
    answer = response.get("answer")
    if answer is not None and (not isinstance(answer, dict) or is_answer(answer)):
        return False
    return not _GENERATE_ANSWER_FIELDS.isdisjoint(response) or _is_candidate(answer or {})


def _read_candidate(request: Request) -> Reading:
    """Read a candidate alone, or an event of the Agent Development Kit, which has its author."""
    candidate = read_wire(request.value, wire.Candidate)
    if candidate.author == USER:
        raise UnreadableAnswer(
            "The event is of the user, and no answer: let only the events of agents pass, or the"
            " whole run as an array of its events."
        )
    response = wire.GenerateAnswerResponse(answer=candidate)
    names = enums_of(request, request.value, {})
    return read_exchange(wire.GenerateAnswerExchange(response=response), request, names), ""


def _read_generate_answer(request: Request) -> Reading:
    if isinstance(request.value, dict) and "response" in request.value:
        exchange = read_wire(request.value, wire.GenerateAnswerExchange)
    else:
        response = read_wire(request.value, wire.GenerateAnswerResponse)
        exchange = wire.GenerateAnswerExchange(response=response)
    return read_exchange(exchange, request, enums.GEMINI_ENUMS), ""


def read_exchange(
    exchange: wire.GenerateAnswerExchange, request: Request, names: enums.CandidateEnums
) -> Answer:
    """Read a candidate with the request that it answers and the feedback on its prompt."""
    asked, candidate = exchange.request, exchange.response.answer
    feedback = exchange.response.input_feedback
    facts, chunks = _read_facts(candidate, asked)
    metadata, joined = candidate.grounding_metadata, _JoinedParts(candidate.content)
    supports = _read_supports(metadata.grounding_supports, joined, chunks)
    recited, all_fit = _read_recitations(candidate.citation_metadata, joined)
    all_fit &= len(supports) == len(metadata.grounding_supports)
    return Answer(
        message=request.message,
        query=_query(asked),
        answer_text=joined.text,
        state="IN_PROGRESS" if candidate.partial or candidate.interrupted else None,
        finish_reason=enums.enum_name(candidate.end, names.finish_reasons),
        block_reason=enums.enum_name(feedback.block_reason, names.block_reasons),
        safety_ratings=read_ratings(
            candidate.safety_ratings + feedback.safety_ratings, names.harm_categories
        ),
        facts=facts.all(),
        citations=(
            *(Citation(start=each.start, end=each.end, facts=each.facts) for each in supports),
            *recited,
        ),
        supports=tuple(supports),
        answerable_probability=proportion(exchange.response.answerable_probability),
        tags=true_tags({Tag.BAD_OFFSETS: not all_fit}),
    )


def joined_text(content: wire.Content) -> str:
    """Join the text of a content's parts, without thoughts."""
    return join_parts(part.own_text for part in content.parts)


def _lines(content: wire.Content) -> str:
    return "\n".join(filter(None, (part.own_text for part in content.parts)))


def _query(asked: wire.GenerateAnswerRequest) -> str | None:
    """Return the user's last text, else the query of the retriever."""
    contents = [each for each in reversed(asked.contents) if each and each.role in ("", "user")]
    texts = map(joined_text, (*contents, asked.semantic_retriever.query))
    return next(filter(None, texts), None)


def _read_facts(
    candidate: wire.Candidate, asked: wire.GenerateAnswerRequest
) -> tuple[FactCollection, Sequence[tuple[int, ...]]]:
    """Collect the passages of the request, else all texts that the candidate quotes.

    What functions and code returned comes after them. Return also the indices of each grounding
    chunk's facts.
    """
    facts = FactCollection()
    for passage in asked.inline_passages.passages:
        facts.add(_lines(passage.content), document=passage.id)
    are_given = bool(facts.all())
    for attribution in () if are_given else candidate.grounding_attributions:
        ids = attribution.source_id
        document = ids.grounding_passage.passage_id or ids.semantic_retriever_chunk.chunk
        facts.add(_lines(attribution.content), document=document)
    chunks = []
    for chunk in candidate.grounding_metadata.grounding_chunks:
        sources = filter(None, (chunk.retrieved_context, chunk.maps) if chunk else ())
        found = (
            facts.find(source.any_text) if are_given else _add_source(source, facts)
            for source in sources
        )
        chunks.append(tuple(chain.from_iterable(found)))
    for content in filter(None, (*asked.contents, candidate.content)):
        for part in content.parts:
            for returned in (part.function_response, part.tool_response):
                facts.add_returned(returned.response)
            facts.add_returned(part.code_execution_result.output)
    return facts, chunks


def _add_source(source: wire.ChunkSource, facts: FactCollection) -> tuple[int, ...]:
    return facts.add(
        source.any_text,
        uri=source.uri,
        title=source.title,
        document=source.document_name or source.place_id,
        page=source.page_number or source.rag_chunk.page_span.first_page,
    )


class _JoinedParts:
    """The text of an answer, and where its parts and their segments are in it.

    Offsets are in bytes. They are found only if something asks for them.
    """

    def __init__(self, content: wire.Content) -> None:
        self._content = content
        self._texts = separate_parts(part.own_text for part in content.parts)
        self.text = "".join(self._texts)

    @cached_property
    def _bytes(self) -> bytes:
        return self.text.encode()

    @cached_property
    def _parts(self) -> list[bytes]:
        return [(part.own_text or "").encode() for part in self._content.parts]

    @cached_property
    def _starts(self) -> list[int]:
        """Where each part begins, behind the blank line that may be before it."""
        ends = accumulate(len(text.encode()) for text in self._texts)
        return [end - len(part) for end, part in zip(ends, self._parts, strict=True)]

    def span_of(self, segment: wire.GeminiSegment) -> tuple[int, int] | None:
        """Return the start and end of a segment; None if it does not fit.

        Some SDKs leave the number of the part out: a segment that names its text is where that
        stands, if it is in one part alone.
        """
        span = self._span_in(segment.part_index, segment)
        if span is None and segment.text:
            spans = (self._span_in(number, segment) for number in range(len(self._parts)))
            found = [each for each in spans if each is not None]
            span = found[0] if len(found) == 1 else None
        return span

    def span_in_parts(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the start and end of offsets that leave blank lines out; None if they misfit."""
        if not is_valid_span(b"".join(self._parts), start, end):
            return None
        if not self._parts:
            return start, end
        ends = list(accumulate(map(len, self._parts)))

        def shifted(offset: int, number: int) -> int:
            number = min(number, len(ends) - 1)
            return offset - ends[number] + self._starts[number] + len(self._parts[number])

        return shifted(start, bisect_right(ends, start)), shifted(end, bisect_left(ends, end))

    def _span_in(self, number: int, segment: wire.GeminiSegment) -> tuple[int, int] | None:
        parts = self._content.parts
        if not 0 <= number < len(parts) or parts[number].own_text is None or parts[number].thought:
            return None
        first, length = self._starts[number], len(self._parts[number])
        start, end = first + segment.start_index, first + segment.end_index
        is_within = first <= start and end <= first + length
        if not is_within or not is_valid_span(self._bytes, start, end):
            return None
        is_other = segment.text and self._bytes[start:end] != segment.text.encode()
        return None if is_other else (start, end)


def _read_supports(
    supports: Sequence[wire.GeminiSupport | None],
    joined: _JoinedParts,
    chunks: Sequence[tuple[int, ...]],
) -> list[GroundingSupport]:
    """Read the supports whose segments fit their parts, with offsets into the whole answer.

    A support's score is the best of its chunks' scores.
    """
    read = []
    for support in filter(None, supports):
        span = joined.span_of(support.segment)
        if span is None:
            continue
        scores = map(proportion, support.confidence_scores)
        cited = [
            fact
            for index in support.grounding_chunk_indices
            if index is not None and 0 <= index < len(chunks)
            for fact in chunks[index]
        ]
        read.append(
            GroundingSupport(
                start=span[0],
                end=span[1],
                score=max((score for score in scores if score is not None), default=None),
                facts=tuple(dict.fromkeys(cited)),
            )
        )
    return read


def _read_recitations(
    metadata: wire.CitationMetadata, joined: _JoinedParts
) -> tuple[list[Citation], bool]:
    """Read the recited spans as citations without facts, and return whether all of them fit."""
    sources = [
        source
        for source in metadata.citation_sources + metadata.citations
        if source is None or (source.start_index, source.end_index) != (None, None)
    ]
    spans = (
        joined.span_in_parts(each.start_index or 0, each.end_index or 0) for each in sources if each
    )
    fitting = [Citation(start=span[0], end=span[1]) for span in spans if span]
    return fitting, len(fitting) == len(sources)


def enums_of(
    request: Request, candidate: object, response: Mapping[str, object]
) -> enums.CandidateEnums:
    """Find the enum tables of a candidate, which is parsed JSON; the response may hold it.

    They are those of the API that was named, else of the only API that writes one of the fields,
    else the values that both APIs share.
    """
    family = (request.named_format or "").partition(".")[0]
    if family in _ENUMS_BY_FAMILY:
        return _ENUMS_BY_FAMILY[family]
    fields = fields_of(candidate)
    citations, feedback = fields.get("citationMetadata"), response.get("promptFeedback")
    if has_any(fields, _GEMINI_FIELDS) or has_any(citations, {"citationSources"}):
        return enums.GEMINI_ENUMS
    if (
        "createTime" in response
        or has_any(citations, {"citations"})
        or any(
            has_any(rating, _VERTEX_RATING_FIELDS)
            for holder in (fields, feedback)
            for rating in list_in(holder, "safetyRatings")
        )
    ):
        return enums.VERTEX_ENUMS
    return enums.SHARED_ENUMS


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

_ENUMS_BY_FAMILY = {"gemini": enums.GEMINI_ENUMS, "vertex": enums.VERTEX_ENUMS}
