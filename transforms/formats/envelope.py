"""groundwatch.envelope: groundwatch's own format, {"query", "answer", "facts", "id", …}."""

from schemas.answer import Answer
from schemas.verdict import Tag
from schemas.wire import groundwatch as wire
from schemas.wire.wire_type import read_wire
from transforms.formats.facts import FactCollection
from transforms.formats.noticing import true_tags
from transforms.formats.reading import Format, Reading, Request
from transforms.formats.resource_names import engine_id, session_id
from transforms.formats.struct_text import spell
from transforms.formats.timestamps import first_time


def _recognises(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("answer"), str)


def _read(request: Request) -> Reading:
    envelope = read_wire(request.value, wire.Envelope)
    facts = FactCollection()
    for fact in envelope.facts:
        _add_fact(fact, facts)
    event_time_us, times_good = first_time(envelope.time)
    engine, session = spell(envelope.engine), spell(envelope.session)
    return Reading(
        answer=Answer(
            message=request.message,
            record_id="",
            answer_name=spell(envelope.id) or None,
            source_format=FORMAT.name,
            engine=engine_id(engine) or engine or None,
            session=session_id(session) or session or None,
            event_time_us=event_time_us,
            query=envelope.query or None,
            answer_text=envelope.answer,
            facts=facts.all(),
            tags=true_tags({Tag.BAD_TIMESTAMP: not times_good}),
        ),
    )


def _add_fact(fact: str | wire.EnvelopeFact, facts: FactCollection) -> None:
    if isinstance(fact, str):
        facts.add(fact)
        return
    attributes = ((name, spell(value)) for name, value in fact.attributes.items())
    facts.add(fact.text, uri=fact.uri, title=fact.title, attributes=attributes)


FORMAT = Format(
    name="groundwatch.envelope",
    shape=dict,
    fields=frozenset({"answer"}),
    wire_of=lambda _: wire.Envelope,
    recognises=_recognises,
    read=_read,
)
