"""gemini.agent_events: the events of one run of an agent, as the Agent Development Kit lists them.

Its api_server returns them as an array. The answer is the last text of the agent; what its
functions returned before are the facts.
Source: https://google.github.io/adk-docs/events/
"""

from msgspec.structs import replace

from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.wire import gemini as wire
from groundwatch.schemas.wire.wire_type import read_wire, wire_fields
from groundwatch.transforms.formats.carriers.agent_session import is_event
from groundwatch.transforms.formats.format import Format, Reading, Request
from groundwatch.transforms.formats.gemini_candidates import (
    USER,
    enums_of,
    joined_text,
    read_exchange,
)


def _read(request: Request) -> Reading:
    given = request.value if isinstance(request.value, list) else []
    events = [read_wire(event, wire.Candidate) for event in given if isinstance(event, dict)]
    whole = [event for event in events if not event.partial] or events
    said = [
        number
        for number, event in enumerate(whole)
        if event.author != USER and joined_text(event.content)
    ]
    if not said:
        raise UnreadableAnswer("The events of the agent's run hold no text of an answer.")
    last = whole[said[-1]]
    metadata = [whole[number].grounding_metadata for number in said]
    sources = [each for each in metadata if each.grounding_chunks]
    if sources and not last.grounding_metadata.grounding_chunks:
        last = replace(last, grounding_metadata=replace(sources[-1], grounding_supports=()))
    exchange = wire.GenerateAnswerExchange(
        request=wire.GenerateAnswerRequest(
            contents=tuple(
                replace(event.content, role=USER if event.author == USER else event.author)
                for event in whole[: said[-1]]
            )
        ),
        response=wire.GenerateAnswerResponse(answer=last),
    )
    return read_exchange(exchange, request, enums_of(request, {}, {})), ""


AGENT_EVENTS = Format(
    name="gemini.agent_events",
    fields=frozenset(wire_fields(wire.Candidate)),
    wire_of=lambda _: wire.Candidate,
    detects=lambda event: is_event(event) and "content" in event,
    read=_read,
    is_array=True,
)
