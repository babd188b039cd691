"""gemini.candidate: a candidate by itself, of the Gemini API or Vertex AI."""

from schemas.wire import gemini as wire
from schemas.wire.wire_type import read_wire, wire_fields
from transforms.formats.candidate_enums import enums_of
from transforms.formats.gemini import is_candidate, read_candidate
from transforms.formats.reading import Format, Reading, Request


def _read(request: Request) -> Reading:
    candidate = read_wire(request.value, wire.Candidate)
    names = enums_of(request.value, named=request.named)
    return read_candidate(candidate, request, FORMAT.name, names=names)


FORMAT = Format(
    name="gemini.candidate",
    shape=dict,
    fields=frozenset(wire_fields(wire.Candidate)),
    wire_of=lambda _: wire.Candidate,
    recognises=is_candidate,
    read=_read,
    is_chunk=True,
)
