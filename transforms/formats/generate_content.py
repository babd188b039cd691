"""gemini.generate_content, vertex.generate_content: the response of generateContent.

The two APIs write the same shape and number some enums differently. A message that does not say
which API it is from is gemini.generate_content.
"""

from functools import partial

import msgspec

from schemas.verdict import Tag
from schemas.wire import gemini as wire
from schemas.wire.enums import CandidateEnums
from schemas.wire.wire_type import read_wire
from transforms.formats.candidate_enums import enums_of
from transforms.formats.gemini import read_candidate
from transforms.formats.noticing import true_tags
from transforms.formats.reading import Format, Reading, Request
from transforms.formats.timestamps import first_time


def _recognises(value: object) -> bool:
    return isinstance(value, dict) and ("candidates" in value or "promptFeedback" in value)


def _read(request: Request, source_format: str) -> Reading:
    response = read_wire(request.value, wire.GenerateContentResponse)
    first = response.candidates[0] if response.candidates else wire.Candidate()
    names = _enums_of(request.value, request.named)
    reading = read_candidate(
        first, request, source_format, names=names, feedback=response.prompt_feedback
    )
    event_time_us, times_good = first_time(response.create_time)
    noticed = true_tags(
        {
            Tag.BAD_TIMESTAMP: not times_good,
            Tag.MULTIPLE_CANDIDATES: len(response.candidates) > 1,
        }
    )
    if event_time_us is None and not noticed:
        return reading
    answer = msgspec.structs.replace(
        reading.answer, event_time_us=event_time_us, tags=reading.answer.tags + noticed
    )
    return Reading(answer=answer)


def _enums_of(value: object, named: str | None) -> CandidateEnums:
    response = value if isinstance(value, dict) else {}
    candidates = response.get("candidates")
    first = candidates[0] if isinstance(candidates, list) and candidates else None
    return enums_of(first, named=named, response=response)


def _format(name: str) -> Format:
    return Format(
        name=name,
        shape=dict,
        fields=frozenset({"candidates", "promptFeedback"}),
        wire_of=lambda _: wire.GenerateContentResponse,
        recognises=_recognises,
        read=partial(_read, source_format=name),
        is_chunk=True,
    )


FORMAT = _format("gemini.generate_content")
VERTEX_FORMAT = _format("vertex.generate_content")
