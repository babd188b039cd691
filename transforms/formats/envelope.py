"""groundwatch.envelope: groundwatch's own format, {"query", "answer", "facts", "id", …}."""

from schemas.answer import Answer
from schemas.verdict import Tag
from schemas.wire import groundwatch as wire
from schemas.wire.wire_type import read_wire
from transforms.formats.fact_collection import FactCollection, render_value
from transforms.formats.field_values import engine_id, first_time, session_id, true_tags
from transforms.formats.format import Format, Reading, Request


def _read(request: Request) -> Reading:
    envelope = read_wire(request.value, wire.Envelope)
    facts = FactCollection()
    for fact in envelope.facts:
        if isinstance(fact, str):
            facts.add(fact)
        else:
            attributes = ((name, render_value(value)) for name, value in fact.attributes.items())
            facts.add(fact.text, uri=fact.uri, title=fact.title, attributes=attributes)
    event_time_us, is_time_good = first_time(envelope.time)
    engine, session = render_value(envelope.engine), render_value(envelope.session)
    return Reading(
        answer=Answer(
            message=request.message,
            record_id="",
            answer_name=render_value(envelope.id) or None,
            source_format=FORMAT.name,
            engine=engine_id(engine) or engine or None,
            session=session_id(session) or session or None,
            event_time_us=event_time_us,
            query=envelope.query or None,
            answer_text=envelope.answer,
            facts=facts.all(),
            tags=true_tags({Tag.BAD_TIMESTAMP: not is_time_good}),
        ),
    )


FORMAT = Format(
    name="groundwatch.envelope",
    fields=frozenset({"answer"}),
    wire_of=lambda _: wire.Envelope,
    detects=lambda fields: isinstance(fields.get("answer"), str),
    read=_read,
)
