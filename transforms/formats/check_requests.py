"""discoveryengine.check_grounding: a request to check an answer, from an archive of such calls."""

from schemas.answer import Answer
from schemas.wire import earlier_answers as wire
from schemas.wire.wire_type import read_wire, wire_fields
from transforms.formats.fact_collection import FactCollection, render_value
from transforms.formats.format import Format, Reading, Request


def _read(request: Request) -> Reading:
    call = read_wire(request.value, wire.CheckCall)
    facts = FactCollection()
    for fact in call.facts:
        attributes = {name: render_value(value) for name, value in fact.attributes.items()}
        facts.add(
            fact.fact_text,
            uri=attributes.pop("uri", ""),
            title=attributes.pop("title", ""),
            attributes=attributes.items(),
        )
    answer = Answer(
        message=request.message,
        record_id="",
        source_format=CHECK_REQUEST.name,
        answer_text=call.answer_candidate,
        facts=facts.all(),
    )
    return answer, ""


CHECK_REQUEST = Format(
    name="discoveryengine.check_grounding",
    fields=frozenset(wire_fields(wire.CheckCall)),
    wire_of=lambda _: wire.CheckCall,
    detects=lambda fields: isinstance(fields.get("answerCandidate"), str),
    read=_read,
)
