"""Enriched records as rows of `enriched_answer.avsc`."""

import json
from collections.abc import Mapping
from typing import Any

from msgspec.structs import asdict

from schemas.enriched import EnrichedAnswer
from schemas.timestamps import to_rfc3339, to_us

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
