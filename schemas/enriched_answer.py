"""The enriched record: an answer with its verdict, as it is written to Avro."""

import json
from collections.abc import Mapping
from typing import Any

from msgspec.structs import asdict

from schemas import Record
from schemas.answer import Citation, Fact, GroundingSupport, SafetyRating
from schemas.checked_answer import Check, Claim, Contradiction
from schemas.quantities import to_rfc3339, to_us
from schemas.verdict import Verdict


class EnrichedAnswer(Record, frozen=True, kw_only=True):
    """One answer, its verdict, and all that led to it; field for field `enriched_answer.avsc`.

    Attributes:
      verdict_reason: the first reason that applies, such as ``CLAIM_SCORE`` or ``NO_FACTS``.
      tags: sorted, each once.
      support_score: 0..1, None when nothing was scored.
      min_claim_score: 0..1, the least score of a claim that required a check, or None.
      score_drift: generator_grounding_score minus support_score, None unless both are there.
      citation_precision: of the facts that the answer cites for claims, the share that supports
        them, 0..1; None where it cites none for a claim that required a check.
      citation_recall: of the facts that support claims, the share that the answer cites for them,
        0..1; None where it cites nothing, or nothing is supported.
      mismatches: what claims say otherwise than the facts.
      generator_citations, generator_supports: the generator's own view, as it came.
      The other fields are those of `Answer` and `Grounding`.
    """

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


_FULL_NAME = "groundwatch.EnrichedAnswer"
"""The schema's full name, the same in every release."""

_MADE_ANEW = frozenset(
    {
        "check",
        "citation_precision",
        "citation_recall",
        "claims",
        "min_claim_score",
        "mismatches",
        "score_drift",
        "support_score",
    }
)
"""Fields that a check writes, whoever made them before."""

_LISTS_OF_RECORDS = (
    "safety_ratings",
    "claims",
    "facts",
    "mismatches",
    "generator_citations",
    "generator_supports",
)


def enriched_to_avro(enriched: EnrichedAnswer) -> dict[str, Any]:
    """Write a record as an Avro row: the same fields, times as microseconds."""
    row = asdict(enriched)
    row["event_time"] = row.pop("event_time_us")
    for name in _LISTS_OF_RECORDS:
        row[name] = [asdict(each) for each in row[name]]
    if enriched.check is not None:
        check = asdict(enriched.check)
        check["checked_at"] = check.pop("checked_at_us")
        row["check"] = check
    return row


def is_enriched_schema(schema: object) -> bool:
    """Tell whether a file's schema, as fastavro reads it, is that of enriched records."""
    return isinstance(schema, Mapping) and schema.get("name") == _FULL_NAME


def avro_to_payload(row: Mapping[str, Any]) -> bytes:
    """Write an Avro row as the message from which its answer can be checked again.

    Args:
      row: as fastavro reads it, of any released schema; a byte that is no UTF-8 is a surrogate in
        its strings, and comes out as that byte.

    Returns:
      A JSON object of the fields that are there, but for those that a check writes.
    """
    members = {
        name: value for name, value in row.items() if value is not None and name not in _MADE_ANEW
    }
    text = json.dumps(members, ensure_ascii=False, separators=(",", ":"), default=_time)
    return text.encode(errors="surrogateescape")


def _time(moment: Any) -> str | None:
    """Write what JSON has no form for: of our fields only times."""
    return to_rfc3339(to_us(moment))
