"""groundwatch.enriched: a record that groundwatch itself wrote, to be checked again.

A record holds the reason of its verdict, the reasons for which the generator skipped or withheld
the answer, and tags. It does not hold the state or the finish reason. These are derived: where
several values would lead to the same record, any of them serves.
"""

import re
from typing import Any

from msgspec.structs import asdict

from schemas.answer import Answer, Citation, Fact, GroundingSupport, SafetyRating
from schemas.message import UnreadableAnswer
from schemas.verdict import ContradictionKind, Tag
from schemas.wire import groundwatch as wire
from schemas.wire.wire_type import read_wire, wire_fields, words
from transforms.formats.field_values import first_time, proportion
from transforms.formats.format import Format, Reading, Request
from transforms.rules import routing
from transforms.rules.redaction import is_hashed
from transforms.rules.spans import is_valid_span

_REQUIRED_FIELDS = frozenset({"recordId", "sourceFormat", "verdict", "verdictReason"})
_RECORD_ID = re.compile(r"[0-9a-f]{64}")
_COPIED_FIELDS = words("record_id answer_name source_format engine session query answer_text")
# Tags that are made again for each record.
_DERIVED_TAGS = frozenset(
    {
        *(kind.tag for kind in ContradictionKind),
        *(Tag.LOW_ANSWERABLE_PROBABILITY, Tag.RECOMBINED, Tag.SAFETY_RATED),
        *(Tag.SCORE_DRIFT, Tag.UNSUPPORTED_CLAIM),
    }
)


def _read(request: Request) -> Reading:
    row = read_wire(request.value, wire.EnrichedRow)
    if not (_RECORD_ID.fullmatch(row.record_id) and row.source_format):
        raise UnreadableAnswer("The record has no record_id or no source_format of groundwatch's.")
    if _is_redacted(row):
        raise UnreadableAnswer(
            "The record was written with --text none or hash: without the texts nothing can be"
            " checked again."
        )
    text = row.answer_text.encode()
    derived = _derived_tags(row)
    answer = Answer(
        message=request.message,
        **{name: getattr(row, name) for name in _COPIED_FIELDS},
        **_signals(row),
        event_time_us=first_time(row.event_time)[0],
        safety_ratings=tuple(SafetyRating(**asdict(rating)) for rating in row.safety_ratings),
        facts=tuple(Fact(**asdict(fact)) for fact in row.facts),
        citations=tuple(
            Citation(**_with_known_facts(citation, row))
            for citation in row.generator_citations or ()
            if is_valid_span(text, citation.start, citation.end)
        ),
        supports=tuple(
            GroundingSupport(**_with_known_facts(support, row))
            for support in row.generator_supports
            if is_valid_span(text, support.start, support.end)
        ),
        generator_grounding_score=proportion(row.generator_grounding_score),
        answerable_probability=proportion(row.answerable_probability),
        tags=tuple(tag for tag in row.tags if tag not in derived),
    )
    return Reading(answer=answer)


def _derived_tags(row: wire.EnrichedRow) -> frozenset[Tag]:
    """Return the tags that are made again; the others are copied from the record."""
    derived = _DERIVED_TAGS
    if row.generator_citations is not None:  # records of the first version lack them
        derived |= {Tag.CITATION_MISMATCH}
    if not routing.has_finish_reasons(
        row.source_format
    ):  # a record does not hold the finish reason
        derived |= {Tag.UNKNOWN_SKIP_REASON}
    return derived


def _with_known_facts(span: wire.EnrichedCitation, row: wire.EnrichedRow) -> dict[str, Any]:
    """Return the fields of a citation or support, without facts that the record does not have."""
    facts = tuple(fact for fact in span.facts if 0 <= fact < len(row.facts))
    return asdict(span) | {"facts": facts}


def _is_redacted(row: wire.EnrichedRow) -> bool:
    """Return whether texts are hidden.

    In a record that is not redacted, no text is empty or a hash.
    """
    texts = [row.query, *(fact.text for fact in row.facts)]
    lost_answer = row.verdict_reason == routing.NO_FACTS and not row.answer_text
    given = [text for text in (row.answer_text, *texts) if text]
    return "" in texts or lost_answer or (bool(given) and all(map(is_hashed, given)))


def _signals(row: wire.EnrichedRow) -> dict[str, Any]:
    """Derive fields of `Answer` that lead to the same decision and the same tags as before."""
    reason, reasons = row.verdict_reason, row.skip_reasons
    is_explained = reason in (*routing.FINDINGS, routing.BLOCKED_RATING, *reasons)
    if not routing.has_finish_reasons(row.source_format):
        if reason in routing.STATE_VERDICTS:
            return {"skip_reasons": reasons, "state": reason}
        if is_explained:
            return {"skip_reasons": reasons}
        # The only other reason is the error that ended a stream.
        return {"skip_reasons": reasons, "state": "FAILED", "error_status": reason}
    finish_reason: str | None = "STOP"
    if Tag.UNFINISHED in row.tags:
        finish_reason = None
    elif Tag.TRUNCATED in row.tags:
        finish_reason = "MAX_TOKENS"
    elif Tag.ABNORMAL_FINISH in row.tags:
        finish_reason = "OTHER" if is_explained else reason
    elif reasons and reasons[0] in routing.POLICY_FINISH_REASONS:
        # A record holds the finish reason and the block reason in one list.
        finish_reason, reasons = reasons[0], reasons[1:]
    return {"finish_reason": finish_reason, "block_reason": reasons[0] if reasons else None}


FORMAT = Format(
    name="groundwatch.enriched",
    fields=frozenset(wire_fields(wire.EnrichedRow)),
    wire_of=lambda _: wire.EnrichedRow,
    detects=lambda fields: fields.keys() >= _REQUIRED_FIELDS,
    read=_read,
)
