"""Wire types of groundwatch's own formats: the envelope, and an enriched record as input."""

from typing import Any

import msgspec

from groundwatch.schemas.answer import Citation, Fact
from .wire_type import Essential, Wire


class EnrichedRating(Wire, frozen=True):
    category: Essential[str | None] = None
    probability: Essential[str | None] = None
    severity: Essential[str | None] = None
    blocked: Essential[bool] = False
    probability_score: Essential[float | None] = None
    severity_score: Essential[float | None] = None


class EnrichedSupport(Wire, frozen=True):
    start: Essential[int] = 0
    end: Essential[int] = 0
    facts: Essential[tuple[int, ...]] = ()
    score: Essential[float | None] = None
    grounding_check_required: Essential[bool | None] = None


class EnrichedRow(Wire, frozen=True):
    record_id: Essential[str] = ""
    answer_name: Essential[str | None] = None
    source_format: Essential[str] = ""
    engine: Essential[str | None] = None
    session: Essential[str | None] = None
    event_time: Essential[str] = ""
    query: Essential[str | None] = None
    answer_text: Essential[str] = ""
    verdict_reason: Essential[str] = ""
    tags: Essential[tuple[str, ...]] = ()
    generator_grounding_score: Essential[float | None] = None
    answerable_probability: Essential[float | None] = None
    skip_reasons: Essential[tuple[str, ...]] = ()
    safety_ratings: Essential[tuple[EnrichedRating, ...]] = ()
    facts: Essential[tuple[Fact, ...]] = ()
    generator_citations: Essential[tuple[Citation, ...] | None] = None
    generator_supports: Essential[tuple[EnrichedSupport, ...]] = ()
    trace_id: Essential[str | None] = None
    span_id: Essential[str | None] = None
    response_id: Essential[str | None] = None


class EnvelopeFact(Wire, frozen=True):
    text: Essential[str] = ""
    uri: str = ""
    title: str = ""
    # Values other than strings are rendered as JSON.
    attributes: dict[str, Any] = msgspec.field(default_factory=dict)


class Envelope(Wire, frozen=True):
    query: Essential[str] = ""
    question: str = ""  # the same, as most data sets of questions name it
    answer: Essential[str] = ""
    facts: Essential[tuple[str | EnvelopeFact, ...]] = ()
    id: Essential[str | int | float] = ""
    # RFC 3339, or seconds, milliseconds or microseconds since 1970.
    time: Essential[str | int | float] = ""
    engine: Essential[str | int | float] = ""
    session: Essential[str | int | float] = ""
    # Of the answer's trace in OpenTelemetry, Langfuse or another tool.
    trace: str = ""
    span: str = ""
    response: str = ""
    trace_id: str = ""
    span_id: str = ""
    response_id: str = ""
