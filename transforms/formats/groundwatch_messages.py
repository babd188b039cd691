"""groundwatch.envelope, {"query", "answer", "facts", "id", …}, and groundwatch.enriched.

The latter is a record that groundwatch itself wrote, to be checked again. It holds neither the
state nor the finish reason. Values are derived that lead to the same record.
"""

import re
from collections.abc import Iterable
from typing import Any, TypeVar

from msgspec.structs import asdict, replace

from groundwatch.schemas.answer import Answer, Citation, GroundingSupport, SafetyRating
from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.verdict import ESCALATION_TAGS, ContradictionKind, Tag
from groundwatch.schemas.wire import groundwatch as wire
from groundwatch.schemas.wire.wire_type import read_wire, wire_fields, words
from groundwatch.transforms.rules import routing
from groundwatch.transforms.rules.redaction import is_hashed
from groundwatch.transforms.rules.spans import is_valid_span
from .fact_collection import FactCollection, render_value
from .field_maps.fact_values import read_fact
from .field_maps.json_path import MISSING, read_text_as_json
from .field_values import first_time, proportion
from .format import Format, Reading, Request
from .mapped_answers import is_row

_Span = TypeVar("_Span", bound=Citation)

_REQUIRED_FIELDS = frozenset({"recordId", "sourceFormat", "verdict", "verdictReason"})
_RECORD_ID = re.compile(r"[0-9a-f]{64}")
_START_OF_LIST = re.compile(r"""\s*+[\[{]\s*+["'{\[]""")
_COPIED_FIELDS = words("""
    record_id answer_name source_format engine session query answer_text facts trace_id span_id
    response_id
""")
# Tags that are made again for each record.
_DERIVED_TAGS = frozenset(
    {
        *(kind.tag for kind in ContradictionKind),
        *(Tag.LOW_ANSWERABLE_PROBABILITY, Tag.REASONING_REMOVED, Tag.RECOMBINED),
        *(Tag.SAFETY_RATED, Tag.SCORE_DRIFT, Tag.UNREAD_LANGUAGE),
        *(Tag.PARTLY_COMPARED, Tag.UNSEEN_VALUE, Tag.UNSUPPORTED_CLAIM),
        *ESCALATION_TAGS,
    }
)


def _read_envelope(request: Request) -> Reading:
    envelope = read_wire(_with_list_of_facts(request.value), wire.Envelope)
    facts = FactCollection()
    for fact in envelope.facts:
        if isinstance(fact, str):
            facts.add(fact)
        else:
            attributes = ((name, render_value(value)) for name, value in fact.attributes.items())
            facts.add(fact.text, uri=fact.uri, title=fact.title, attributes=attributes)
    event_time_us, time_tags = first_time(envelope.time)
    answer = Answer(
        message=request.message,
        answer_name=render_value(envelope.id) or None,
        engine=render_value(envelope.engine) or None,
        session=render_value(envelope.session) or None,
        event_time_us=event_time_us,
        query=envelope.query or envelope.question or None,
        answer_text=envelope.answer,
        facts=facts.all(),
        tags=time_tags,
        trace_id=envelope.trace or envelope.trace_id or None,
        span_id=envelope.span or envelope.span_id or None,
        response_id=envelope.response or envelope.response_id or None,
    )
    return answer, ""


def _with_list_of_facts(value: Any) -> Any:
    """Return an envelope whose facts are a list, objects with their text in the field `text`.

    Tables hold a list or an object in a text; any other text is the only fact, one that says that
    nothing is there none. Raises UnreadableAnswer for a list that was cut off.
    """
    given = value.get("facts")
    facts = read_text_as_json(given)
    if isinstance(facts, str):
        if _START_OF_LIST.match(facts):
            raise UnreadableAnswer(
                "facts is a text that begins like a list, but is neither JSON nor a list of texts"
                " as Python prints it."
            )
        facts = [] if facts in MISSING else [facts]
    elif isinstance(facts, dict):
        facts = [facts]
    if isinstance(facts, list) and any(isinstance(each, dict) for each in facts):
        facts = list(map(_with_text, facts))
    return value if facts is given else value | {"facts": facts}


def _with_text(fact: Any) -> Any:
    """Name the text of a fact `text`, whatever the tool that wrote it calls it."""
    has_text = isinstance(fact, dict) and fact.get("text", " ") not in ("", " ")
    found = None if has_text else read_fact(fact)
    named = {"text": found.text, "title": found.title, "uri": found.uri} if found else {}
    return fact | {name: text for name, text in named.items() if text} if named else fact


def _read_enriched(request: Request) -> Reading:
    row = read_wire(request.value, wire.EnrichedRow)
    if not (_RECORD_ID.fullmatch(row.record_id) and row.source_format):
        raise UnreadableAnswer("The record has no record_id or no source_format of groundwatch's.")
    if _is_redacted(row):
        raise UnreadableAnswer(
            "The record was written with --text none or hash: without the texts nothing can be"
            " checked again."
        )
    derived = _DERIVED_TAGS
    if row.generator_citations is not None:  # records of the first version lack them
        derived |= {Tag.CITATION_MISMATCH}
    if not routing.has_finish_reasons(row.source_format):  # a record does not hold them
        derived |= {Tag.UNKNOWN_SKIP_REASON}
    answer = Answer(
        message=request.message,
        **{name: getattr(row, name) for name in _COPIED_FIELDS},
        **_signals(row),
        event_time_us=first_time(row.event_time)[0],
        safety_ratings=tuple(SafetyRating(**asdict(rating)) for rating in row.safety_ratings),
        citations=_fitting(row.generator_citations or (), row),
        supports=_fitting(
            (GroundingSupport(**asdict(support)) for support in row.generator_supports), row
        ),
        generator_grounding_score=proportion(row.generator_grounding_score),
        answerable_probability=proportion(row.answerable_probability),
        tags=tuple(tag for tag in row.tags if tag not in derived),
    )
    return answer, ""


def _fitting(spans: Iterable[_Span], row: wire.EnrichedRow) -> tuple[_Span, ...]:
    """Return the valid spans of a record, without facts that the record does not have."""
    text = row.answer_text.encode()
    return tuple(
        replace(span, facts=tuple(fact for fact in span.facts if 0 <= fact < len(row.facts)))
        for span in spans
        if is_valid_span(text, span.start, span.end)
    )


def _is_redacted(row: wire.EnrichedRow) -> bool:
    """Return whether texts are hidden: else no text is empty or a hash."""
    texts = [row.query, *(fact.text for fact in row.facts)]
    lost_answer = row.verdict_reason == routing.NO_FACTS and not row.answer_text
    given = [text for text in (row.answer_text, *texts) if text]
    return "" in texts or lost_answer or (bool(given) and all(map(is_hashed, given)))


def _signals(row: wire.EnrichedRow) -> dict[str, Any]:
    """Derive fields of `Answer` that lead to the same decision and the same tags as before."""
    reason, is_candidate = row.verdict_reason, routing.has_finish_reasons(row.source_format)
    is_explained = reason in (*routing.FINDINGS, routing.BLOCKED_RATING, *row.skip_reasons)
    state = reason if reason in routing.STATE_VERDICTS else None
    # A record holds skip reasons, the finish reason and the block reason in one list.
    skips, policy = routing.SKIP_REASON_VERDICTS, routing.POLICY_FINISH_REASONS
    blocked = [
        each for each in row.skip_reasons if (each not in skips if is_candidate else each in policy)
    ]
    skipped = tuple(each for each in row.skip_reasons if each not in blocked)
    finish_reason = "STOP" if is_candidate else None
    if Tag.UNFINISHED in row.tags:
        finish_reason = None
    elif Tag.TRUNCATED in row.tags:
        finish_reason = "MAX_TOKENS"
    elif Tag.ABNORMAL_FINISH in row.tags:
        finish_reason = "OTHER" if is_explained or state else reason
    elif blocked and blocked[0] in policy:
        finish_reason, *blocked = blocked
    is_error = not (state or is_explained or Tag.ABNORMAL_FINISH in row.tags)
    return {
        "state": "FAILED" if is_error else state,
        "error_status": reason if is_error else None,
        "skip_reasons": skipped,
        "finish_reason": finish_reason,
        "block_reason": blocked[0] if blocked else None,
    }


ENVELOPE = Format(
    name="groundwatch.envelope",
    fields=frozenset({"answer"}),
    wire_of=lambda _: wire.Envelope,
    detects=lambda fields: (
        isinstance(fields.get("answer"), str) and ("facts" in fields or not is_row(fields))
    ),
    read=_read_envelope,
)

ENRICHED = Format(
    name="groundwatch.enriched",
    fields=frozenset(wire_fields(wire.EnrichedRow)),
    marks=_REQUIRED_FIELDS,
    wire_of=lambda _: wire.EnrichedRow,
    detects=lambda fields: fields.keys() >= _REQUIRED_FIELDS,
    read=_read_enriched,
)
