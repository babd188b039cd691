"""groundwatch.enriched: a record that groundwatch itself wrote, to be checked again."""

import re
from typing import Any

from msgspec.structs import asdict

from schemas.answer import Answer, Citation, Fact, GroundingSupport, SafetyRating
from schemas.message import UnreadableAnswer
from schemas.verdict import ContradictionKind, Tag
from schemas.wire import groundwatch as wire
from schemas.wire.wire_type import read_wire, wire_fields
from transforms.formats.reading import Format, Reading, Request
from transforms.formats.scores import proportion
from transforms.formats.signals import read_signals
from transforms.formats.timestamps import first_time
from transforms.rules.redaction import is_hashed
from transforms.rules.routing import has_finish_reasons
from transforms.rules.spans import is_valid_span
from transforms.rules.verdicts import NO_FACTS

_OWN_FIELDS = frozenset({"recordId", "sourceFormat", "verdict", "verdictReason"})
_RECORD_ID = re.compile(r"[0-9a-f]{64}")

_DERIVED = frozenset(
    {
        *(kind.tag for kind in ContradictionKind),
        Tag.LOW_ANSWERABLE_PROBABILITY,
        Tag.RECOMBINED,
        Tag.SAFETY_RATED,
        Tag.SCORE_DRIFT,
        Tag.UNSUPPORTED_CLAIM,
    }
)
"""Tags that follow from every record and a check."""


def _recognises(value: object) -> bool:
    return isinstance(value, dict) and value.keys() >= _OWN_FIELDS


def _read(request: Request) -> Reading:
    row = read_wire(request.value, wire.EnrichedRow)
    if not (_RECORD_ID.fullmatch(row.record_id) and row.source_format):
        raise UnreadableAnswer("The record has no record_id or no source_format of groundwatch's.")
    if _is_redacted(row):
        raise UnreadableAnswer(
            "The record was written with --text none or hash: without the texts nothing can be"
            " checked again."
        )
    return Reading(answer=_answer(row, request))


def _answer(row: wire.EnrichedRow, request: Request) -> Answer:
    event_time_us, _ = first_time(row.event_time)
    signals = read_signals(row)
    answer = row.answer_text.encode()
    derived = _derived_tags(row)
    return Answer(
        message=request.message,
        record_id=row.record_id,
        answer_name=row.answer_name,
        source_format=row.source_format,
        engine=row.engine,
        session=row.session,
        event_time_us=event_time_us,
        query=row.query,
        answer_text=row.answer_text,
        state=signals.state,
        skip_reasons=signals.skip_reasons,
        finish_reason=signals.finish_reason,
        block_reason=signals.block_reason,
        error_status=signals.error_status,
        safety_ratings=tuple(SafetyRating(**asdict(rating)) for rating in row.safety_ratings),
        facts=tuple(Fact(**asdict(fact)) for fact in row.facts),
        citations=tuple(
            Citation(**_checked(citation, row))
            for citation in row.generator_citations or ()
            if is_valid_span(answer, citation.start, citation.end)
        ),
        supports=tuple(
            GroundingSupport(**_checked(support, row))
            for support in row.generator_supports
            if is_valid_span(answer, support.start, support.end)
        ),
        generator_grounding_score=proportion(row.generator_grounding_score),
        answerable_probability=proportion(row.answerable_probability),
        tags=tuple(tag for tag in row.tags if tag not in derived),
    )


def _derived_tags(row: wire.EnrichedRow) -> frozenset[Tag]:
    """List the tags that follow from a record and a check, and are not taken over."""
    derived = _DERIVED
    if row.generator_citations is not None:  # records of the first version lack them
        derived |= {Tag.CITATION_MISMATCH}
    if not has_finish_reasons(row.source_format):  # a record does not hold the finish reason
        derived |= {Tag.UNKNOWN_SKIP_REASON}
    return derived


def _checked(
    stretch: wire.EnrichedCitation | wire.EnrichedSupport, row: wire.EnrichedRow
) -> dict[str, Any]:
    """The members of a citation or support, without facts that are not there."""
    facts = tuple(fact for fact in stretch.facts if 0 <= fact < len(row.facts))
    return asdict(stretch) | {"facts": facts}


def _is_redacted(row: wire.EnrichedRow) -> bool:
    """Return whether texts are hidden.

    Where they are not, none that is there is empty or a hash.
    """
    texts = [row.query, *(fact.text for fact in row.facts)]
    lost_answer = row.verdict_reason == NO_FACTS and not row.answer_text
    given = [text for text in (row.answer_text, *texts) if text]
    return "" in texts or lost_answer or (bool(given) and all(map(is_hashed, given)))


FORMAT = Format(
    name="groundwatch.enriched",
    shape=dict,
    fields=frozenset(wire_fields(wire.EnrichedRow)),
    wire_of=lambda _: wire.EnrichedRow,
    recognises=_recognises,
    read=_read,
)
