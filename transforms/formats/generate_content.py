"""gemini.generate_content: the response of generateContent."""

import msgspec

from schemas.verdict import Tag
from schemas.wire import gemini as wire
from schemas.wire.tolerance import read_wire
from transforms.formats.gemini import read_candidate
from transforms.formats.noticing import true_tags
from transforms.formats.reading import Format, Reading, Request
from transforms.formats.timestamps import first_time


def _recognises(value: object) -> bool:
    return isinstance(value, dict) and ("candidates" in value or "promptFeedback" in value)


def _read(request: Request) -> Reading:
    response = read_wire(request.value, wire.GenerateContentResponse)
    first = response.candidates[0] if response.candidates else wire.Candidate()
    reading = read_candidate(first, request, FORMAT.name, feedback=response.prompt_feedback)
    event_time_us, times_good = first_time(response.create_time)
    noticed = {
        Tag.BAD_TIMESTAMP: not times_good,
        Tag.MULTIPLE_CANDIDATES: len(response.candidates) > 1,
    }
    answer = msgspec.structs.replace(
        reading.answer, event_time_us=event_time_us, tags=reading.answer.tags + true_tags(noticed)
    )
    return Reading(answer=answer)


FORMAT = Format(
    name="gemini.generate_content",
    shape=dict,
    members=frozenset({"candidates", "promptFeedback"}),
    recognises=_recognises,
    read=_read,
)
