"""gemini.agent_events: the events of one run of an agent, as the Agent Development Kit lists them.

Its api_server returns them as an array. The answer is all that the agents said, with a blank line
between the texts of events; what their functions returned before the last text are the facts.
Source: https://google.github.io/adk-docs/events/
"""

from collections.abc import Sequence
from itertools import takewhile

from msgspec.structs import replace

from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.wire import gemini as wire
from groundwatch.schemas.wire.wire_type import read_wire, wire_fields
from .carriers.agent_session import is_event
from .format import Format, Reading, Request
from .gemini_candidates import USER, enums_of, joined_text, read_exchange

_BETWEEN_EVENTS = wire.ContentPart(function_call={})


def _read(request: Request) -> Reading:
    given = request.value if isinstance(request.value, list) else []
    events = [read_wire(event, wire.Candidate) for event in given if isinstance(event, dict)]
    of_agents = [event for event in events if event.author != USER]
    with_text = [event for event in of_agents if joined_text(event.content)]
    said = [event for event in with_text if not event.partial] or with_text
    ended = [event for event in of_agents if event.end or event.interrupted]
    if not said and not ended:
        raise UnreadableAnswer("The events of the agent's run hold no text of an answer.")
    last = said[-1] if said else ended[-1]
    before = takewhile(lambda event: event is not last, events)
    exchange = wire.GenerateAnswerExchange(
        request=wire.GenerateAnswerRequest(
            contents=tuple(
                replace(event.content, role=USER if event.author == USER else event.author)
                for event in before
            )
        ),
        response=wire.GenerateAnswerResponse(answer=_join(said, [last, *ended][-1])),
    )
    return read_exchange(exchange, request, enums_of(request, {}, {})), ""


def _join(said: Sequence[wire.Candidate], last: wire.Candidate) -> wire.Candidate:
    """Join the texts and sources of events into the event that says how the run ended.

    An event may be there twice. Segments count the parts of their event, supports its chunks.
    """
    parts: list[wire.ContentPart] = []
    chunks: list[wire.GroundingChunk | None] = []
    supports: list[wire.GeminiSupport] = []
    recited: list[wire.RecitedSpan] = []
    texts: set[str] = set()
    length = 0  # bytes
    for event in said:
        metadata, cited = event.grounding_metadata, event.citation_metadata
        if (text := joined_text(event.content)) not in texts:
            parts += [_BETWEEN_EVENTS] if parts else []
            supports += [
                _shifted(each, len(parts), len(chunks))
                for each in metadata.grounding_supports
                if each
            ]
            recited += [
                _moved(each, length) for each in cited.citation_sources + cited.citations if each
            ]
            parts += event.content.parts
            length += sum(len((part.own_text or "").encode()) for part in event.content.parts)
        texts.add(text)
        chunks += metadata.grounding_chunks
    return replace(
        last,
        content=replace(last.content, parts=tuple(parts)),
        grounding_metadata=wire.GroundingMetadata(
            grounding_chunks=tuple(chunks), grounding_supports=tuple(supports)
        ),
        citation_metadata=wire.CitationMetadata(citations=tuple(recited)),
    )


def _shifted(support: wire.GeminiSupport, parts: int, chunks: int) -> wire.GeminiSupport:
    indices = support.grounding_chunk_indices
    return replace(
        support,
        segment=replace(support.segment, part_index=support.segment.part_index + parts),
        grounding_chunk_indices=tuple(None if each is None else each + chunks for each in indices),
    )


def _moved(recited: wire.RecitedSpan, length: int) -> wire.RecitedSpan:
    start, end = recited.start_index, recited.end_index
    if start is None and end is None:
        return recited
    return replace(recited, start_index=(start or 0) + length, end_index=(end or 0) + length)


AGENT_EVENTS = Format(
    name="gemini.agent_events",
    fields=frozenset(wire_fields(wire.Candidate)),
    wire_of=lambda _: wire.Candidate,
    detects=is_event,
    read=_read,
    is_array=True,
)
