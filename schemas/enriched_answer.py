"""Enriched records: answers with their verdicts, and their rows in Avro."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from . import Record
from .answer import Citation, Fact, GroundingSupport, SafetyRating
from .checked_answer import Check, Claim, Contradiction, Screen, VerdictThresholds
from .quantities import to_datetime, to_rfc3339, to_us
from .verdict import Verdict

_FULL_NAME = "groundwatch.EnrichedAnswer"  # the schema's full name, the same in every release
# Fields that a check writes.
_CHECK_FIELDS = frozenset(
    {
        *("check", "citation_precision", "citation_recall", "claims", "min_claim_score"),
        *("mismatches", "score_drift", "screen", "support_score"),
    }
)


class EnrichedAnswer(Record, frozen=True, kw_only=True):
    """An answer with its verdict and the evidence; `enriched_answer.avsc` describes the fields."""

    record_id: str
    answer_name: str | None
    source_format: str
    engine: str | None
    session: str | None
    event_time_us: int | None
    query: str | None
    answer_text: str
    verdict: Verdict
    verdict_reason: str
    tags: tuple[str, ...]
    support_score: float | None
    min_claim_score: float | None
    generator_grounding_score: float | None
    score_drift: float | None
    answerable_probability: float | None
    skip_reasons: tuple[str, ...]
    safety_ratings: tuple[SafetyRating, ...]
    claims: tuple[Claim, ...]
    facts: tuple[Fact, ...]
    check: Check | None
    citation_precision: float | None = None
    citation_recall: float | None = None
    mismatches: tuple[Contradiction, ...] = ()
    generator_citations: tuple[Citation, ...] = ()
    generator_supports: tuple[GroundingSupport, ...] = ()
    trace_id: str | None = None
    span_id: str | None = None
    response_id: str | None = None
    screen: Screen | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as values that JSON has."""
        fields: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return fields

    @property
    def event_time(self) -> datetime | None:
        """The time of the answer, as in a row."""
        return None if self.event_time_us is None else to_datetime(self.event_time_us)


class CheckUsage(Record, frozen=True, kw_only=True):
    """What the check of an answer used; named as in `enriched_answer.avsc`."""

    checker: str | None = None
    revision: str | None = None
    calls: int = 0
    attempts: int = 0
    characters: int = 0
    latency_ms: int = 0
    cached: bool = False
    thresholds: VerdictThresholds | None = None


class AnswerRow(Record, frozen=True, kw_only=True):
    """A row of `enriched_answer.avsc`; fields that a released schema lacks have defaults."""

    record_id: str
    answer_name: str | None = None
    engine: str | None = None
    session: str | None = None
    event_time: datetime | None = None
    query: str | None = None
    answer_text: str = ""
    verdict: str
    verdict_reason: str
    tags: tuple[str, ...] = ()
    skip_reasons: tuple[str, ...] = ()
    support_score: float | None = None
    min_claim_score: float | None = None
    claims: tuple[Claim, ...] = ()
    facts: tuple[Fact, ...] = ()
    mismatches: tuple[Contradiction, ...] = ()
    check: CheckUsage | None = None
    trace_id: str | None = None
    span_id: str | None = None
    response_id: str | None = None
    screen: Screen | None = None

    @property
    def event_time_us(self) -> int | None:
        return None if self.event_time is None else to_us(self.event_time)


def is_enriched_schema(schema: object) -> bool:
    """Return whether a file's schema, as fastavro reads it, is that of enriched records."""
    return isinstance(schema, Mapping) and schema.get("name") == _FULL_NAME


def avro_to_payload(row: Mapping[str, Any]) -> bytes:
    """Convert an Avro row of any released schema to a message, to check its answer again.

    A byte that is not UTF-8 is a surrogate in the row's strings, and becomes that byte again. The
    message is JSON of the fields that are not null, without the fields that a check writes.
    """
    fields = {
        name: value
        for name, value in row.items()
        if value is not None and name not in _CHECK_FIELDS
    }
    text = json.dumps(
        fields,
        ensure_ascii=False,
        separators=(",", ":"),
        default=lambda time: to_rfc3339(to_us(time)),
    )
    return text.encode(errors="surrogateescape")
